#!/usr/bin/env bash
# The demo: real commands that fail, and errors that climb until a person or a policy decides.
# Answered by the person at the terminal, or by policy.yaml without a terminal. With PANES=yes tmux
# shows the nodes and their processes beside it.
set -u
# A path from the folder that the demo was started from.
[ -z "${BUS_NODE:-}" ] || BUS_NODE=$(realpath --no-symlinks --canonicalize-missing "$BUS_NODE")
cd "$(dirname "$0")" || exit 1
export DEMO_FROM=$OLDPWD DEMO_SCRIPT=$PWD/run.sh
export DEMO_PORT=${DEMO_PORT:-7790} DEMO_CENTRAL=${DEMO_CENTRAL:-7791} DEMO_RELAY=${DEMO_RELAY:-7792}
bus=${BUS_NODE:-../../.build/debug/bus-node}
[ -x "$bus" ] || { echo "demo: $bus not found; run make build first" >&2; exit 69; }

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
note() { printf '   %s\n' "$*"; }
# shown WORD...: prints a command so that it can be copied into a shell.
shown() { printf '   $'; printf ' %q' "$@"; printf '\n'; }
if [ ! -t 1 ]; then say() { printf '\n== %s\n' "$*"; }; fi

[ -t 0 ] && [ -t 1 ] || PANES=
if [ "${PANES:-}" = yes ]; then
    command -v tmux >/dev/null ||
        { echo "demo: PANES=yes needs tmux; run scripts/setup panes first" >&2; exit 69; }
    # A server of its own gets this environment; inside of it, and of any tmux, a pane is added.
    # When the terminal is closed, all of it ends.
    [ -n "${TMUX:-}" ] || exec tmux -L "errorbus-demo-$$" new-session bash -c \
        'cd "$DEMO_FROM" && "$DEMO_SCRIPT"; read -rp "Return closes tmux. " _' \; \
        set-option destroy-unattached on
fi

household= pane=
finish() {
    [ -n "$pane" ] && tmux kill-pane -t "$pane" 2>/dev/null
    [ -n "$household" ] && kill "$household" 2>/dev/null && wait "$household" 2>/dev/null
    [ -f run/server.pid ] && kill "$(cat run/server.pid)" 2>/dev/null
    [ -n "${holder:-}" ] && kill "$holder" 2>/dev/null
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

if [ -t 0 ]; then
    export DEMO_POLICY=policy-none.yaml
    who="You decide: answer with the letter in brackets and Return, or in a browser at the
   address that central prints."
else
    who="No terminal, so policy.yaml decides."
fi

rm -rf run && mkdir -p run/public
echo "42 invoices booked" >run/report.txt
echo "hello from the download server" >run/public/data.txt

say "Starting the topology: two workers -> relay -> central"
note "$who"
"$bus" keygen topology.yaml >/dev/null || exit
note "Each node has a key of its own, in run/keys: no other process can read a link or join one."
note "The commands work in another terminal as well, while the demo runs:"
shown cd "$PWD"
"$bus" up --topology topology.yaml --log-level warning --ready-file run/ready <&0 &
household=$!
for _ in $(seq 1200); do
    [ -e run/ready ] && break
    kill -0 "$household" 2>/dev/null || { echo "demo: the topology did not start" >&2; exit 1; }
    sleep 0.05
done
[ -e run/ready ] || { echo "demo: the topology was not ready within 60 s" >&2; exit 1; }
[ "${PANES:-}" != yes ] ||
    pane=$(tmux split-window -dhP -c "$PWD" -F '#{pane_id}' ./processes "$bus" "$household")

failed=0
# step EXPECTED WORKER COMMAND...: runs a command under exec, prints its exit code.
step() {
    local expected=$1 worker=$2 status; shift 2
    # Quiet: central asks on this very terminal, and its prompt stays the last line.
    local -a command=("$bus" exec --quiet --topology topology.yaml --node "$worker" -- "$@")
    shown "${command[@]}"
    "${command[@]}"
    status=$?
    note "exit code $status"
    if [ ! -t 0 ] && [ "$status" -ne "$expected" ]; then
        note "expected $expected"; failed=1
    fi
}

say "1. A copy into a folder that does not exist"
note "worker-1 adds an option, which Return chooses: it can create the folder."
note "Create the folder runs in worker-1; then the copy is repeated."
step 0 worker-1 cp run/report.txt run/inbox/

say "2. A download from a port without a server"
note "relay adds an option, which Return chooses: it can start the server."
step 0 worker-2 ./download "http://127.0.0.1:$DEMO_PORT/data.txt"

say "3. A report that another program has locked for a moment"
note "Waiting is enough: Retry."
# Locked until central has the error, however slow the machine is.
flock run/lock sh -c 'until grep -q flock run/central.jsonl || ! kill -0 $PPID; do sleep 0.1; done' \
    2>/dev/null & holder=$!
until [ -e run/lock ] && ! flock --nonblock run/lock true; do sleep 0.01; done
step 0 worker-1 flock --timeout 1.4 run/lock cat run/report.txt

say "4. A file that is gone for good"
note "Abort: exec exits with the command's own exit code."
step 1 worker-2 rm run/no-such-file

say "5. An error that no person needs to see"
note "relay withholds it: no prompt, and exec names the node that did."
step 2 worker-1 ls run/optional-cache

say "The ledgers of central and relay"
shown "$bus" log --topology topology.yaml
"$bus" log --topology topology.yaml

# For a terminal in the folder that the demo was started from.
from_start() { realpath --no-symlinks --relative-to="$OLDPWD" --relative-base="$OLDPWD" "$1"; }
bus=$(from_start "$bus") topology=$(from_start topology.yaml)
say "Next: the nodes again, until Ctrl-C, and an error for them from a second terminal"
shown DEMO_POLICY=policy-none.yaml "$bus" up --topology "$topology" --log-level warning
shown "$bus" exec --topology "$topology" --node worker-2 -- false
note "Answer it in the first terminal, on the page whose ADDRESS central prints, or from a third:"
note "\$ BUS_NODE_CONSOLE='ADDRESS' $bus inbox"
note "Then: README.md, A topology, by hand; docs/topology.md (every key); docs/policies.md (rules)"
exit "$failed"
