# Two commands do all the set-up: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
EXAMPLE := examples/transformer_block

.PHONY: demo test lint typecheck format bench fuzz ci clean vsix vscode test-client e2e

demo: $(STAMP)
	@$(BIN)/inductor-lens report $(EXAMPLE)/trace.json --inductor-cache-dir $(EXAMPLE)/cache
	@$(BIN)/python examples/as_an_editor.py $(EXAMPLE) output_code.py

test: $(STAMP)
	$(BIN)/python -m pytest -n auto --maxprocesses 4

lint: $(STAMP)
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

format: $(STAMP)
	$(BIN)/ruff check --fix . && $(BIN)/ruff format .

# Minutes each, and only meaningful on a machine with nothing else to do. They print OVER where a limit does not hold.
bench: $(STAMP)
	@for bench in bench/*.py; do echo "== $$bench"; $(BIN)/python $$bench || exit 1; done

fuzz: $(STAMP)
	$(BIN)/python tests/fuzz/damaged_traces.py
	$(BIN)/python tests/fuzz/lsp_messages.py 300

ci: lint test

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

# --- The VS Code extension. The .vsix carries the server as a wheel; pip and npm are asked for dependencies only.
CLIENT := vscode-client
VSIX := dist/inductor-lens.vsix
NODE_STAMP := $(CLIENT)/node_modules/.installed
WHEELS_STAMP := $(CLIENT)/wheels/.built
# Where the workbench of the end-to-end tests is installed.
export VSWEB ?= $(CURDIR)/$(CLIENT)/e2e/.vsweb

vsix: $(VSIX)

vscode: $(VSIX)
	bash $(CLIENT)/open.sh $(VSIX) examples/transformer_block $(abspath $(BIN)/python)

test-client: $(NODE_STAMP)
	cd $(CLIENT) && npm run --silent check

e2e: $(VSIX)
	bash $(CLIENT)/e2e/install.sh $(VSWEB)
	cd $(CLIENT) && PYTHON=$(abspath $(BIN)/python) npm run --silent e2e

$(NODE_STAMP): $(CLIENT)/package-lock.json
	cd $(CLIENT) && npm ci --no-audit --no-fund --loglevel=error
	touch $@

$(WHEELS_STAMP): $(CLIENT)/bundle_wheels.py pyproject.toml $(shell find perfcore server -name '*.py') | $(STAMP)
	$(BIN)/python $<
	touch $@

$(VSIX): $(NODE_STAMP) $(WHEELS_STAMP) $(wildcard $(CLIENT)/*.* $(CLIENT)/.vscodeignore) $(shell find $(CLIENT)/src $(CLIENT)/webview $(CLIENT)/media -type f)
	mkdir -p dist
	cd $(CLIENT) && npm run --silent build && npx --no-install vsce package --no-dependencies --allow-missing-repository --no-rewrite-relative-links --out ../$@

clean:
	rm -rf $(VENV) out dist $(CLIENT)/dist $(CLIENT)/out $(CLIENT)/wheels $(CLIENT)/node_modules
