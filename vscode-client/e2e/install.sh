#!/usr/bin/env bash
# install.sh FOLDER: a VS Code workbench that a headless Chromium can drive (code-server, from npm alone).
# Does nothing where it is already there. Needs Node 20, a C++ compiler, ripgrep and, to run, Chromium.
set -euo pipefail

version=4.100.3 # = VS Code 1.100.3
dest=${1:?usage: $0 FOLDER}
mkdir -p "$dest" && dest=$(cd "$dest" && pwd)
entry=$dest/node_modules/code-server/out/node/entry.js
if [ "$(node "$entry" --version 2>/dev/null | cut -d' ' -f1)" = "$version" ]; then exit 0; fi

fail() { echo "install.sh: $*" >&2; exit 1; }
[[ $(node -v) = v20.* ]] || fail "code-server $version needs Node 20, this is $(node -v)"
for tool in rg g++ make python3; do command -v $tool >/dev/null || fail "$tool is missing"; done

log=$dest/install.log && : >"$log"
run() { "$@" >>"$log" 2>&1 || { tail -30 "$log" >&2; fail "failed in $PWD: $*"; }; }
[ -f /usr/include/node/node_api.h ] && export npm_config_nodedir=${npm_config_nodedir:-/usr} # no headers from the network
export npm_config_fund=false npm_config_audit=false npm_config_update_notifier=false

echo "installing code-server $version into $dest (a minute or two, once)"
cd "$dest" && rm -rf node_modules package.json
echo '{"private": true}' >package.json
# Install scripts would fetch binaries from outside the registry: what needs building is built below.
run npm install --ignore-scripts --no-package-lock "code-server@$version"
vscode=$dest/node_modules/code-server/lib/vscode
cd "$vscode" && run npm install --ignore-scripts --omit=dev
gyp=$(npm root -g)/npm/node_modules/node-gyp/bin/node-gyp.js
for module in @vscode/spdlog native-watchdog node-pty; do cd "$vscode/node_modules/$module" && run node "$gyp" rebuild; done
cd "$dest/node_modules/argon2" && run npm exec --offline --no -- node-pre-gyp rebuild --build-from-source
mkdir -p "$vscode/node_modules/@vscode/ripgrep/bin"
ln -sfn "$(command -v rg)" "$vscode/node_modules/@vscode/ripgrep/bin/rg"
ln -sfn node_modules "$vscode/node_modules.asar"
node "$entry" --version >>"$log" 2>&1 || fail "code-server does not start: see $log"
