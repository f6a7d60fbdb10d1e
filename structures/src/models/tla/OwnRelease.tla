-------------------------------- MODULE OwnRelease --------------------------------
(* What ALock.tla takes for one step: an owner's thread has found its lock free, and several threads release that acquisition, some by force, while another  *)
(* comes after it and the descriptor is used again: alone, by a request, or behind the one that came after. Labels are those in the comments of the code.     *)
(* One step is one access to memory that others use.                                                                                                          *)
EXTENDS Integers

CONSTANTS Closers, Operators, LeftOut
(* Closers, Operators: the threads that release the acquisition of turn 0. LeftOut: names of rules that are left out, to see the checks fail.                 *)

Breaks(rule) == rule \in LeftOut
Releaser == Closers \cup Operators

FREE     == -1
FOLLOWER == -2   \* in the tail; else the descriptor in that turn
InTurn(turn) == IF Breaks("turn") THEN 0 ELSE turn
QUEUED == 10     \* added to an epoch: the descriptor in that epoch, which is not alone there, or which a request uses
InEpoch(epoch) == IF Breaks("alone") THEN epoch ELSE QUEUED + epoch
Epoch(name) == name % QUEUED

VARIABLES pc, tail, turn, phase, next, follower, behind, user, link
vars == <<pc, tail, turn, phase, next, follower, behind, user, link>>

Init ==
    /\ pc = [p \in Releaser |-> "look at phase"]
    /\ tail = InTurn(0)
    /\ turn = 0                  \* with phase one word
    /\ phase = "HOLDING"
    /\ next = FREE               \* the link of who comes after it, in the turn that it has found in the tail
    /\ follower = "absent"
    /\ behind = FREE             \* which turn it has found there
    /\ user = "idle"             \* whoever has the descriptor next
    /\ link = FREE               \* to it, of the one that it stands behind: in which epoch

Go(p, label) == pc' = [pc EXCEPT ![p] = label]
Lasts == turn = 0 /\ phase = "HOLDING"

---------------------------------- (* Releasing *)

LookAtPhase(p) ==
    /\ pc[p] = "look at phase"
    /\ Go(p, IF ~Lasts THEN "not it" ELSE IF p \in Closers THEN "release" ELSE "seize")
    /\ UNCHANGED <<tail, turn, phase, next, follower, behind, user, link>>

Release(p) ==
    /\ pc[p] = "release"
    /\ IF tail = InTurn(0) THEN tail' = FREE /\ Go(p, "done") ELSE UNCHANGED tail /\ Go(p, "behind")
    /\ UNCHANGED <<turn, phase, next, follower, behind, user, link>>

Seize(p) ==
    /\ pc[p] = "seize"
    /\ IF tail = InTurn(0)
       THEN tail' = (IF Breaks("seize") THEN tail ELSE 1) /\ Go(p, "leave")
       ELSE UNCHANGED tail /\ Go(p, "behind")
    /\ UNCHANGED <<turn, phase, next, follower, behind, user, link>>

Behind(p) ==
    /\ pc[p] = "behind"
    /\ \/ ~Lasts /\ Go(p, "not it")
       \/ (next = InTurn(0) \/ Breaks("behind")) /\ Go(p, "leave")
    /\ UNCHANGED <<tail, turn, phase, next, follower, behind, user, link>>

Leave(p) ==
    /\ pc[p] = "leave"
    /\ IF Lasts THEN phase' = "RELEASING" /\ Go(p, "release as a request") ELSE UNCHANGED phase /\ Go(p, "not it")
    /\ UNCHANGED <<tail, turn, next, follower, behind, user, link>>

ReleaseAsARequest(p) ==
    /\ pc[p] = "release as a request"
    /\ IF tail >= 0
       THEN tail' = FREE /\ Go(p, "done") /\ UNCHANGED follower
       ELSE /\ next # FREE /\ next = behind
            /\ follower' = "critical"
            /\ Go(p, "done")
            /\ UNCHANGED tail
    /\ UNCHANGED <<turn, phase, next, behind, user, link>>

Done(p) ==
    /\ pc[p] = "done"
    /\ turn' = 1 /\ phase' = "IDLE" /\ next' = FREE
    /\ Go(p, "it")
    /\ UNCHANGED <<tail, follower, behind, user, link>>

---------------------------------- (* Who comes after it *)

Swap ==
    /\ follower = "absent" /\ tail # FREE
    /\ behind' = tail /\ tail' = FOLLOWER
    /\ follower' = "link"
    /\ UNCHANGED <<pc, turn, phase, next, user, link>>

Link ==
    /\ follower = "link"
    /\ next' = behind
    /\ follower' = "waiting"
    /\ UNCHANGED <<pc, tail, turn, phase, behind, user, link>>

Follow ==
    /\ follower = "critical"
    /\ IF tail = FOLLOWER
       THEN tail' = FREE /\ UNCHANGED <<user, link>>
       ELSE /\ link = Epoch(tail)
            /\ user' = "critical" /\ link' = FREE
            /\ UNCHANGED tail
    /\ follower' = "gone"
    /\ UNCHANGED <<pc, turn, phase, next, behind>>

---------------------------------- (* The same descriptor, for the same lock again, of which nobody knows but its thread *)

Begin(name) ==
    /\ user = "idle" /\ turn = 1 /\ phase = "IDLE" /\ tail = FREE
    /\ tail' = name
    /\ user' = "critical"
    /\ UNCHANGED <<pc, turn, phase, next, follower, behind, link>>

Claim == Begin(InTurn(1))

(* It has found somebody there, and then nobody: the epochs of requests begin with 0. *)
Enqueue == Begin(InEpoch(0))

EnqueueBehind ==
    /\ user = "idle" /\ turn = 1 /\ phase = "IDLE" /\ tail = FOLLOWER
    /\ tail' = InEpoch(Epoch(behind))
    /\ user' = "waiting"
    /\ link' = Epoch(behind)
    /\ UNCHANGED <<pc, turn, phase, next, follower, behind>>

Hold ==
    /\ user = "critical" /\ turn = 1 /\ phase = "IDLE"
    /\ phase' = "HOLDING"
    /\ UNCHANGED <<pc, tail, turn, next, follower, behind, user, link>>

Over ==
    /\ \A p \in Releaser : pc[p] \in {"it", "not it"}
    /\ user # "waiting"
    /\ UNCHANGED vars

Next == (\E p \in Releaser : LookAtPhase(p) \/ Release(p) \/ Seize(p) \/ Behind(p) \/ Leave(p) \/ ReleaseAsARequest(p) \/ Done(p))
    \/ Swap \/ Link \/ Follow \/ Claim \/ Enqueue \/ EnqueueBehind \/ Hold \/ Over

Spec == Init /\ [][Next]_vars /\ WF_vars(Next)

---------------------------------- (* What is checked *)

Releasing == {p \in Releaser : pc[p] \in {"done", "it"}}
OneReleasesIt == \A p, q \in Releasing : p = q
Again == {InTurn(1), InEpoch(0), InEpoch(1)}
NobodyElseIsReleased == user = "critical" => tail \in Again \/ (tail = FOLLOWER /\ behind \in Again)
OneHoldsIt == ~(user = "critical" /\ follower = "critical")
EachEnds == <>(\A p \in Releaser : pc[p] \in {"it", "not it"}) /\ [](user = "waiting" => <>(user = "critical"))
==================================================================================
