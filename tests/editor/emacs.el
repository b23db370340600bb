;;; Opens the example in Emacs with eglot, and writes what a user would see there as JSON.  -*- lexical-binding: t -*-
;; Wants in the environment: LENS_WORKSPACE, LENS_COMMAND (a JSON list), LENS_SETTINGS (JSON), LENS_RESULT (a path).
(require 'eglot)
(require 'json)
(require 'xref)

(defvar lens-result nil)
(setq eglot-sync-connect 20 eglot-autoshutdown nil eglot-confirm-server-initiated-edits nil
      xref-prompt-for-identifier nil create-lockfiles nil auto-save-default nil make-backup-files nil)

(defun lens-wait (what ready)
  "Let the server's messages in until READY is true; fail for WHAT otherwise."
  (let ((end (+ (float-time) 20)))
    (while (and (not (funcall ready)) (< (float-time) end))
      (accept-process-output nil 0.05))
    (unless (funcall ready) (error "Waited in vain for %s" what))))

(defun lens-keep (name value) (push (cons name value) lens-result))

(defun lens-hover ()
  "The text that eldoc shows at point."
  (let (shown)
    (eglot-hover-eldoc-function (lambda (text &rest _) (setq shown text)))
    (lens-wait "a hover" (lambda () shown))
    (substring-no-properties shown)))

(defun lens-definition ()
  "Where the definition of what stands at point is: file, line, symbol."
  (let ((here (list (current-buffer) (point))))
    (xref-find-definitions "LSP identifier at point.")
    (lens-wait "a definition" (lambda () (not (equal here (list (current-buffer) (point))))))
    (vector (file-name-nondirectory buffer-file-name) (line-number-at-pos) (thing-at-point 'symbol t))))

(defun lens-run ()
  (let* ((workspace (getenv "LENS_WORKSPACE"))
         (command (append (json-parse-string (getenv "LENS_COMMAND")) nil))
         (settings (json-parse-string (getenv "LENS_SETTINGS") :object-type 'plist)))
    (setq-default eglot-workspace-configuration (list :inductorLens settings))
    (setq default-directory (file-name-as-directory workspace))
    (find-file (expand-file-name "output_code.py" workspace))
    (eglot '(python-mode) (cons 'transient default-directory) 'eglot-lsp-server command "python")
    (lens-wait "a diagnostic" (lambda () (flymake-diagnostics)))
    (lens-keep
     'diagnostics
     (vconcat (mapcar (lambda (one) (vector (line-number-at-pos (flymake-diagnostic-beg one))
                                            (substring-no-properties (flymake-diagnostic-text one))))
                      (flymake-diagnostics))))
    (goto-char (point-min))
    (search-forward "triton_poi_fused__unsafe_view_mul_silu_2.run(")
    (backward-char 8)
    (lens-keep 'hover (lens-hover))
    (lens-keep 'definition_of_a_call (lens-definition))))

(condition-case problem (lens-run) (error (lens-keep 'problem (error-message-string problem))))
(with-temp-file (getenv "LENS_RESULT") (insert (json-encode lens-result)))
(kill-emacs 0)
