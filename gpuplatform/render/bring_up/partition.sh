#!/bin/sh
# Cuts every card of this machine by MIG as the layout says, before the kubelet starts.
#
# It runs at every boot and leaves alone what is already right. Exit 0 means that every card is cut exactly as
# written. Anything else keeps the kubelet from starting: 75 while the machine goes down for the reboot that a
# change of MIG mode needs, 1 where the cards cannot be made what the node's labels would say.
set -u

LAYOUT=/etc/gpu-partition/layout
REBOOTS=/var/lib/gpu-partition/reboots
MOST_REBOOTS=2
DRIVER_TRIES=30
DRIVER_PAUSE_SECONDS=10

say() { echo "gpu-partition: $*" >&2; }

die() {
    say "$*"
    exit 1
}

# One word a card: index,device id,current mode,pending mode. Arguments narrow it to one card.
cards() {
    rows=$(nvidia-smi "$@" --query-gpu=index,pci.device_id,mig.mode.current,mig.mode.pending \
        --format=csv,noheader) || return 1
    echo "$rows" | tr -d ' '
}

part() { echo "$1" | cut -d, -f"$2"; }

is_enabled() { [ "$(part "$(cards -i "$1")" 3)" = Enabled ]; }

# The layout's lines for a device id: profile, profile id, count.
wanted() {
    awk -v device="$1" '
        $1 != "#" && NF == 4 {
            of = split($4, ids, ",")
            for (i = 1; i <= of; i++) if (toupper(ids[i]) == toupper(device)) print $1, $2, $3
        }' "$LAYOUT"
}

# Each wanted instance on a line of its own: profile, profile id.
wanted_instances() { wanted "$1" | awk '{ for (i = 0; i < $3; i++) print $1, $2 }' | sort; }

# The table that nvidia-smi draws of a card's instances; a card without any is an error to it and not to us.
table() {
    if drawn=$(nvidia-smi mig -i "$1" "$2" 2>&1); then
        echo "$drawn"
        return
    fi
    case $drawn in
    *"instances found"*) ;;
    *) say "card $1: $drawn" ;;
    esac
}

gpu_instances() { table "$1" -lgi | awk '$3 == "MIG" { print $4, $5 }' | sort; }

# Those that fill their GPU instance bear its profile's name.
compute_instances() { table "$1" -lci | awk '$4 == "MIG" { print $5 }' | sort; }

is_right() {
    want=$(wanted_instances "$2")
    [ "$(gpu_instances "$1")" = "$want" ] && [ "$(compute_instances "$1")" = "$(echo "$want" | cut -d' ' -f1)" ]
}

on_one_line() { tr '\n' ';' | sed 's/;$//; s/;/, /g'; }

clear_card() {
    if [ -n "$(compute_instances "$1")" ]; then nvidia-smi mig -i "$1" -dci >&2 || return 1; fi
    if [ -n "$(gpu_instances "$1")" ]; then nvidia-smi mig -i "$1" -dgi >&2 || return 1; fi
}

cut_card() {
    if is_right "$1" "$2"; then
        say "card $1: already as written"
        return 0
    fi
    clear_card "$1" || {
        say "card $1: its old instances cannot be removed"
        return 1
    }
    ids=$(wanted_instances "$2" | cut -d' ' -f2 | paste -s -d, -)
    nvidia-smi mig -i "$1" -cgi "$ids" -C >&2 || {
        say "card $1: the driver refuses GPU instance profiles $ids"
        return 1
    }
    is_right "$1" "$2" || {
        say "card $1: wanted $(wanted_instances "$2" | on_one_line); there is $(gpu_instances "$1" | on_one_line)"
        return 1
    }
    say "card $1: cut as written"
}

# Hopper and later change their mode at once; Ampere leaves it pending where the card cannot be reset.
ask_for_mig() {
    [ -n "$(wanted "$2")" ] || {
        say "card $1: no layout is written for its device id $2"
        return 1
    }
    [ "$3" = Enabled ] || nvidia-smi -i "$1" -mig 1 >&2 || {
        say "card $1: MIG mode is refused"
        return 1
    }
}

reboot_for_mode() {
    count=$(cat "$REBOOTS" 2>/dev/null || echo 0)
    case $count in
    '' | *[!0-9]*) die "$REBOOTS says '$count', which is no number of reboots" ;;
    esac
    [ "$count" -lt "$MOST_REBOOTS" ] || die "MIG mode is still pending after $count reboots"
    # Uncounted reboots could go on for ever.
    { mkdir -p "${REBOOTS%/*}" && echo "$((count + 1))" >"$REBOOTS" && sync; } || die "cannot write $REBOOTS"
    say "MIG mode is pending and the card cannot be reset: reboot $((count + 1)) of at most $MOST_REBOOTS"
    systemctl reboot || die "the reboot is refused"
    exit 75
}

[ -r "$LAYOUT" ] || die "$LAYOUT is not there"

tries=1
until found=$(cards) && [ -n "$found" ]; do
    [ "$tries" -lt "$DRIVER_TRIES" ] || die "the driver shows no cards after $tries tries"
    tries=$((tries + 1))
    sleep "$DRIVER_PAUSE_SECONDS"
done

failed=
for card in $found; do
    ask_for_mig "$(part "$card" 1)" "$(part "$card" 2)" "$(part "$card" 4)" || failed=yes
done
[ -z "$failed" ] || die "not every card can be cut: the kubelet stays away"

pending=
for card in $found; do
    index=$(part "$card" 1)
    is_enabled "$index" && continue
    nvidia-smi --gpu-reset -i "$index" >&2
    is_enabled "$index" || pending=yes
done
[ -z "$pending" ] || reboot_for_mode

for card in $found; do
    cut_card "$(part "$card" 1)" "$(part "$card" 2)" || failed=yes
done
[ -z "$failed" ] || die "not every card is cut as written: the kubelet stays away"
rm -f "$REBOOTS"
