;;; Opens the example in Emacs with eglot, and writes what a user would see there as JSON.  -*- lexical-binding: t -*-
;; Wants in the environment: LENS_WORKSPACE, LENS_COMMAND (a JSON list), LENS_SETTINGS (JSON), LENS_RESULT (a path).

(require 'eglot)
(require 'flymake)
(require 'xref)

(setq eglot-sync-connect 60 eglot-autoreconnect nil
      create-lockfiles nil auto-save-default nil make-backup-files nil)

(defvar lens-result (make-hash-table :test 'equal))

(defun lens-wait (what ready)
  "Let the server talk until READY gives something, and give that."
  (let ((end (time-add nil 30)) found)
    (while (not (setq found (funcall ready)))
      (when (time-less-p end nil) (error "Waited in vain for %s" what))
      (accept-process-output nil 0.05))
    found))

(defun lens-set (name value) (puthash name value lens-result))

(defun lens-hover ()
  "The text of the hover at point."
  (let (text)
    (eglot-hover-eldoc-function (lambda (info &rest _) (setq text (substring-no-properties info))))
    (lens-wait "a hover" (lambda () text))))

(defun lens-place ()
  (vector (file-name-nondirectory (buffer-file-name)) (line-number-at-pos) (thing-at-point 'symbol t)))

(defun lens-definitions ()
  "Where the definitions of what stands at point are."
  (vconcat
   (mapcar (lambda (found)
             (let ((place (xref-location-marker (xref-item-location found))))
               (with-current-buffer (marker-buffer place)
                 (save-excursion (goto-char place) (lens-place)))))
           (xref-backend-definitions 'eglot (xref-backend-identifier-at-point 'eglot)))))

(defun lens-diagnostics ()
  (mapcar (lambda (one)
            (vector (line-number-at-pos (flymake-diagnostic-beg one))
                    (symbol-name (flymake-diagnostic-type one))
                    (flymake-diagnostic-text one)))
          (lens-wait "diagnostics" #'flymake-diagnostics)))

(defun lens-open (name)
  "Visit a file of the workspace with the server attached."
  (find-file (expand-file-name name (getenv "LENS_WORKSPACE")))
  (unless (eglot-managed-p) (apply #'eglot--connect (eglot--guess-contact)))
  (lens-wait "the server" #'eglot-managed-p)
  (flymake-start))

(defun lens-run ()
  (let ((command (append (json-parse-string (getenv "LENS_COMMAND")) nil))
        (settings (json-parse-string (getenv "LENS_SETTINGS") :object-type 'plist)))
    (setq eglot-server-programs `(((python-mode js-mode) . ,command)))
    (setq-default eglot-workspace-configuration (list :inductorLens settings)))

  ;; A wrapper: diagnostics, hover, from a call to its kernel, its kernels in the index.
  (lens-open "output_code.py")
  (lens-set "diagnostics" (vconcat (lens-diagnostics)))
  (goto-char (point-min))
  (search-forward "triton_poi_fused__unsafe_view_mul_silu_2.run(")
  (backward-char 10)
  (lens-set "hover" (lens-hover))
  (lens-set "definitions_of_a_call" (lens-definitions))
  (lens-set "index" (vconcat (mapcar #'car (cdr (car (eglot-imenu))))))

  ;; A trace: hover and the way to the generated kernel.
  (lens-open "trace.json")
  (goto-char (point-min))
  (search-forward "\"triton_poi_fused__unsafe_view_mul_silu_2")
  (lens-wait "diagnostics of the trace" #'flymake-diagnostics)
  (lens-set "hover_in_trace" (lens-hover))
  (lens-set "definitions_of_a_launch" (lens-definitions))
  (eglot-shutdown (eglot-current-server))
  (lens-set "left" t))

(condition-case problem
    (lens-run)
  (error (lens-set "problem" (format "%S" problem))))
(let ((coding-system-for-write 'utf-8-unix))
  (with-temp-file (getenv "LENS_RESULT") (insert (json-serialize lens-result))))
