#!/usr/bin/env bash
# Tests two ranks in pods that reach each other by RDMA. lab/lab.sh -n 2 runs this in the virtual machine of the RDMA lab, with the image atoll/node:trial. Its
# device in software is in the machine's network, so pods use that one, and each binds to the address of its node. It ends with 0 if
# what one rank counts is read at the other.
set -euo pipefail
source "$(dirname "$0")/steps"

# The machine is emulated: it is slow, and its Java compiles once.
slow=(--set 'jvm.options={-XX:TieredStopAtLevel=1,-XX:+UseSerialGC}' --set world.joinTimeout=600s --set probes.startup.failureThreshold=900
    --set probes.liveness.timeoutSeconds=60 --set probes.readiness.timeoutSeconds=60 --set probes.readiness.periodSeconds=15)
own_address=(--set 'application.server.address=${POD_IP}' --set 'application.management.server.address=${POD_IP}')

step "two ranks by RDMA"
helm install shop "$chart" -n rdma --create-namespace "${trial[@]}" "${slow[@]}" "${own_address[@]}" --set fabric=rdma --set world.size=2 \
    --set rdma.resource="$K8S_LAB_RESOURCE" --set hostNetwork=true --set topologySpread.host=false --set networkPolicy.enabled=false >/dev/null || fail "helm did not install the chart"
within 150 "both are ready" ready rdma 2
for rank in 0 1; do
    kubectl -n rdma logs "shop-atoll-$rank" -c rdma-check | grep -E '^(device|locked|verdict)'
    expect "the fabric of rank $rank" "$(health rdma $rank | jq -r .components.atoll.details.fabric)" rdma
    expect "the user of rank $rank" "$(kubectl -n rdma get pod "shop-atoll-$rank" -o jsonpath='{.spec.securityContext.runAsUser} {.spec.containers[0].securityContext.capabilities}')" \
        '10001 {"drop":["ALL"]}'
done
count=$(hit rdma 0 7) || fail "rank 0 cannot count"
expect "what rank 1 reads of rank 0's count" "$(hits rdma 1 7)" "$count"
count=$(hit rdma 1 7) || fail "rank 1 cannot count"
expect "what rank 0 reads of rank 1's count" "$(hits rdma 0 7)" "$count"

step "uninstall"
helm uninstall shop -n rdma >/dev/null
within 30 "pods are gone" sh -c "[ -z \"\$(kubectl -n rdma get pods -o name)\" ]"
step "ranks in pods reach each other by RDMA"
