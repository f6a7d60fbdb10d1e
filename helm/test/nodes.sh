#!/usr/bin/env bash
# Tests a world over two nodes that are cut off from each other. lab/lab.sh -n 2 runs this with the image atoll/node:trial. It ends with 0 if the
# side without a quorum is not ready and says why, if nothing that was acknowledged is lost or done twice, and if the world
# heals by itself. Then two ranks on the networks of their nodes.
set -euo pipefail
source "$(dirname "$0")/steps"

node_of() { kubectl -n wide get pod "shop-atoll-$1" -o jsonpath='{.spec.nodeName}{"\n"}'; }
condition() { kubectl -n wide get pod "shop-atoll-$1" -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}'; }
# What a rank knows of its view: RANK OPTION... FILTER.
view() {
    local rank=$1
    shift
    health wide "$rank" | jq "${@:1:$#-1}" ".components.atoll.details.view | ${*: -1}"
}
not_ready() { [ "$(condition "$1")" = False ]; }
cut() { iptables -"$1" FORWARD -s 10.244.1.0/24 -d 10.244.2.0/24 -j DROP && iptables -"$1" FORWARD -s 10.244.2.0/24 -d 10.244.1.0/24 -j DROP; }

step "three ranks on two nodes"
helm install shop "$chart" -n wide --create-namespace -f "$chart/examples/tcp.yaml" "${trial[@]}" --set console.exposed=true \
    --set topologySpread.whenUnsatisfiable=DoNotSchedule --set 'topologySpread.host=true' --wait --timeout 300s >/dev/null || fail "helm did not install the chart"
for rank in 0 1 2; do echo "rank $rank is on $(node_of $rank)"; done
expect "nodes with ranks" "$(for rank in 0 1 2; do node_of $rank; done | sort -u | wc -l)" 2
shared wide 0 7
# The side with one rank.
for rank in 0 1 2; do
    [ "$(for each in 0 1 2; do node_of $each; done | grep -c "^$(node_of $rank)$")" -ne 1 ] || alone=$rank
done
others=$(seq 0 2 | grep -v "^$alone$" | paste -sd' ')

counters=()
for rank in 0 1 2; do
    for key in 1 2 3 4; do
        counting wide $rank $((100 + rank * 10 + key)) &
        counters+=($!)
    done
done

step "rank $alone is cut off from ranks $others"
cut I
within 60 "rank $alone is not ready" not_ready "$alone"
waits() { view "$alone" -r '.waiting // empty' | tee "$work/waits" | grep -q elector; }
within 60 "its health says why" waits
cat "$work/waits"
without() { view "${others%% *}" -e '.members | length == 2'; }
within 90 "ranks $others go on in a view without it" without
for rank in $others; do expect "whether rank $rank is ready" "$(condition "$rank")" True; done
sleep 2

step "the cut ends"
from=$(date +%s%N)
cut D
within 120 "all are ready" ready wide 3
echo "all ranks are ready $(since "$from") s after the cut"
sleep 2
touch "$work/enough"
wait "${counters[@]}"
for rank in 0 1 2; do
    for key in 1 2 3 4; do
        key=$((100 + rank * 10 + key))
        read -r asked acknowledged <"$work/counted.$key"
        found=$(hits wide 0 $key)
        echo "key $key: asked $asked, acknowledged $acknowledged, found $found"
        [ "$found" -ge "$acknowledged" ] || fail "a count that was acknowledged is lost: key=$key"
        [ "$found" -le "$asked" ] || fail "a count was done twice: key=$key"
    done
done
for rank in 0 1 2; do shared wide $rank 7; done
helm uninstall shop -n wide --wait --timeout 120s >/dev/null
step "two ranks on the networks of their nodes"
helm install shop "$chart" -n host --create-namespace -f "$chart/examples/tcp.yaml" "${trial[@]}" --set world.size=2 --set hostNetwork=true \
    --wait --timeout 300s >/dev/null || fail "helm did not install the chart"
for rank in 0 1; do
    address=$(at host $rank)
    expect "the address of rank $rank is its node's" "$(kubectl -n host get pod shop-atoll-$rank -o jsonpath='{.status.hostIP}')" "$address"
done
expect "addresses" "$(for rank in 0 1; do at host $rank; echo; done | sort -u | wc -l)" 2
count=$(hit host 0 7)
expect "what rank 1 reads of rank 0's count" "$(hits host 1 7)" "$count"
helm uninstall shop -n host --wait --timeout 120s >/dev/null
step "a world over two nodes survives a cut, and ranks use the networks of their nodes"
