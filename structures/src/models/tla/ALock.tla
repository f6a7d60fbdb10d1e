---------------------------------- MODULE ALock ----------------------------------
(* The lock of io.atoll.lock: Peterson between two cohorts, a budgeted MCS queue in each, with waiters that give up, leaders that retreat, processes that    *)
(* only try, and a rank that dies at any step, and whose segment cannot be read from then on. Labels are those in the comments of the code. One step is one *)
(* access to memory that others use. What nobody reads any more is forgotten: states that differ in that alone are one state.                               *)
EXTENDS Integers, FiniteSets

CONSTANTS Local, Remote, Mortal, Trying, Rounds, LocalBudget, RemoteBudget, LeftOut
(* Local, Remote: the processes, numbers from 1 to 9; Mortal: who may die, of Remote; Rounds: acquisitions of each.                                          *)
(* Trying: those that wait for nobody who has the lock, and leave instead.                                                                                   *)
(* LeftOut: names of rules that are left out, to see the checks fail.                                                                                        *)

Proc == Local \cup Remote
Breaks(rule) == rule \in LeftOut

NONE  == -1      \* grant: nothing yet. From 0 on: the budget that is left; 0: compete with the other cohort
RETRY == -2      \* grant: the queue was rebuilt without you, enqueue again
FREE  == 0       \* tail; else a process in an epoch, or
In(p, epoch) == p + 10 * epoch
Of(t)        == t % 10
Epoch(t)     == (t % 100) \div 10
Closed(by)     == 100 + by   \* ... under repair,
ClosedFree(by) == 200 + by   \* ... and released meanwhile
IsClosed(t) == t > 100
Closer(t)   == t % 100

Budget(c) == IF c = "l" THEN LocalBudget ELSE RemoteBudget

Cohort(p) == IF p \in Local THEN "l" ELSE "r"
Other(c)  == IF c = "l" THEN "r" ELSE "l"

VARIABLES pc, tail, repairs, self, victim, next, grant, phase, dead, expected, budget, rounds, return, todo, holder, waiters, since, had
vars == <<pc, tail, repairs, self, victim, next, grant, phase, dead, expected, budget, rounds, return, todo, holder, waiters, since, had>>

Init ==
    /\ pc = [p \in Proc |-> "idle"]
    /\ tail = [c \in {"l", "r"} |-> FREE]
    /\ repairs = 0                           \* of the remote queue
    /\ self = [p \in Proc |-> p]             \* as it stands in the tail
    /\ victim = "l"
    /\ next = [p \in Proc |-> 0]
    /\ grant = [p \in Proc |-> NONE]
    /\ phase = [p \in Proc |-> "IDLE"]
    /\ dead = {}
    /\ expected = [p \in Proc |-> FREE]
    /\ budget = [p \in Proc |-> 0]
    /\ rounds = [p \in Proc |-> Rounds]
    /\ return = [p \in Proc |-> "idle"]
    /\ todo = [p \in Proc |-> {}]
    /\ holder = [p \in Proc |-> 0]
    /\ waiters = [p \in Proc |-> {}]
    /\ since = [c \in {"l", "r"} |-> 0]      \* entries of the other cohort since this one's leader waits
    /\ had = [p \in Proc |-> FALSE]          \* of one that tries: somebody has had the lock since it began, or has waited for it

Go(p, label) == pc' = [pc EXCEPT ![p] = label]
Phase(p, value) == phase' = [phase EXCEPT ![p] = value]
repairing == <<return, todo, holder, waiters>>
queue == <<repairs, self>>

(* It begins to enqueue, linked to nobody and granted nothing. *)
Begin(p) ==
    /\ Phase(p, "ENQUEUEING")
    /\ next' = [next EXCEPT ![p] = 0]
    /\ grant' = [grant EXCEPT ![p] = NONE]
    /\ expected' = [expected EXCEPT ![p] = FREE]
    /\ Go(p, "swap")

(* Its descriptor is nobody's. *)
End(p) ==
    /\ Phase(p, "IDLE")
    /\ next' = [next EXCEPT ![p] = 0]
    /\ grant' = [grant EXCEPT ![p] = NONE]
    /\ expected' = [expected EXCEPT ![p] = FREE]
    /\ self' = [self EXCEPT ![p] = p]
    /\ budget' = [budget EXCEPT ![p] = 0]

---------------------------------- (* Enqueueing *)

Prepare(p) ==
    /\ pc[p] = "idle" /\ rounds[p] > 0
    /\ Begin(p)
    /\ rounds' = [rounds EXCEPT ![p] = @ - 1]
    /\ had' = [had EXCEPT ![p] = p \in Trying /\ \E q \in Proc : phase[q] \in {"HOLDING", "WAITING"}]
    /\ UNCHANGED <<queue, tail, victim, dead, budget, since, repairing>>

Swap(p) == LET c == Cohort(p) IN
    /\ pc[p] = "swap"
    /\ IF tail[c] = expected[p]
       THEN /\ self' = [self EXCEPT ![p] = In(p, Epoch(expected[p]))]
            /\ tail' = [tail EXCEPT ![c] = self'[p]]
            /\ Go(p, IF expected[p] = FREE THEN "lead" ELSE "link")
            /\ UNCHANGED expected
       ELSE /\ UNCHANGED <<tail, self>>
            /\ IF p \in Trying
               THEN Go(p, "contest") /\ expected' = [expected EXCEPT ![p] = tail[c]]
               ELSE IF IsClosed(tail[c])
               THEN Go(p, "block") /\ UNCHANGED expected
               ELSE expected' = [expected EXCEPT ![p] = tail[c]] /\ UNCHANGED pc
    /\ UNCHANGED <<had, repairs, victim, next, grant, phase, dead, budget, rounds, since, repairing>>

Block(p) ==
    /\ pc[p] = "block"
    /\ Phase(p, "BLOCKED")
    /\ Go(p, "blocked")
    /\ UNCHANGED <<had, queue, tail, victim, next, grant, dead, expected, budget, rounds, since, repairing>>

Blocked(p) == LET t == tail[Cohort(p)] IN
    /\ pc[p] = "blocked"
    /\ IF IsClosed(t)
       THEN /\ Closer(t) \in dead
            /\ Go(p, "close") /\ return' = [return EXCEPT ![p] = "blocked"]
            /\ UNCHANGED <<phase, next, grant, expected, todo, holder, waiters>>
       ELSE Begin(p) /\ UNCHANGED repairing
    /\ UNCHANGED <<had, queue, tail, victim, dead, budget, rounds, since>>

Lead(p) ==
    /\ pc[p] = "lead"
    /\ Phase(p, "LEADING")
    /\ Go(p, "yield")
    /\ UNCHANGED <<had, queue, tail, victim, next, grant, dead, expected, budget, rounds, since, repairing>>

Link(p) ==
    /\ pc[p] = "link"
    /\ next' = IF Of(expected[p]) \in dead THEN next ELSE [next EXCEPT ![Of(expected[p])] = self[p]]
    /\ Go(p, "await")
    /\ UNCHANGED <<had, queue, tail, victim, grant, phase, dead, expected, budget, rounds, since, repairing>>

Seen == had' = [q \in Proc |-> had[q] \/ (q \in Trying /\ pc[q] # "idle")]

Await(p) ==
    /\ pc[p] = "await"
    /\ Phase(p, "WAITING")
    /\ Go(p, "waiting")
    /\ Seen
    /\ UNCHANGED <<queue, tail, victim, next, grant, dead, expected, budget, rounds, since, repairing>>

(* Its time is over, or it was interrupted: the descriptor stays in the queue, and is passed on when its turn comes. *)
GiveUp(p) ==
    /\ pc[p] = "waiting"
    /\ Phase(p, "LEAVING")
    /\ Go(p, "abandoned")
    /\ UNCHANGED <<had, queue, tail, victim, next, grant, dead, expected, budget, rounds, since, repairing>>

(* Another thread of its process takes the place over: the same descriptor, in the same place.                                                              *)
TakeOver(p) ==
    /\ pc[p] = "abandoned" /\ rounds[p] > 0
    /\ Phase(p, "WAITING")
    /\ Go(p, "waiting")
    /\ Seen
    /\ rounds' = [rounds EXCEPT ![p] = @ - 1]
    /\ UNCHANGED <<queue, tail, victim, next, grant, dead, expected, budget, since, repairing>>

Granted(p) ==
    /\ pc[p] \in {"waiting", "abandoned"} /\ grant[p] # NONE
    /\ IF grant[p] # RETRY
       THEN /\ Phase(p, "LEADING")
            /\ budget' = [budget EXCEPT ![p] = grant[p]]
            /\ grant' = [grant EXCEPT ![p] = NONE]
            /\ expected' = [expected EXCEPT ![p] = FREE]
            /\ Go(p, IF pc[p] = "abandoned" THEN "leave" ELSE IF grant[p] > 0 \/ Breaks("budget") THEN "enter" ELSE "yield")
            /\ UNCHANGED <<self, next>>
       ELSE IF pc[p] = "abandoned" THEN End(p) /\ Go(p, "idle")
       ELSE Begin(p) /\ UNCHANGED <<self, budget>>
    /\ UNCHANGED <<had, repairs, tail, victim, dead, rounds, since, repairing>>

(* Whom it waits for has died, or who was repairing the queue. *)
Doubt(p) == LET t == tail["r"] IN
    /\ pc[p] \in {"waiting", "abandoned"} /\ p \in Remote /\ grant[p] = NONE
    /\ Of(expected[p]) \in dead \/ (IsClosed(t) /\ Closer(t) \in dead)
    /\ ~(IsClosed(t) /\ Closer(t) \notin dead)
    /\ Go(p, "close") /\ return' = [return EXCEPT ![p] = pc[p]]
    /\ UNCHANGED <<had, queue, tail, victim, next, grant, phase, dead, expected, budget, rounds, todo, holder, waiters, since>>

---------------------------------- (* Peterson *)

(* An owner's thread that finds nobody of the other cohort need not be the victim. *)
Alone(p) == LET c == Cohort(p) IN
    /\ pc[p] = "yield" /\ p \in Local
    /\ tail["r"] = FREE
    /\ budget' = [budget EXCEPT ![p] = Budget(c)]
    /\ since' = [since EXCEPT ![c] = 0]
    /\ Go(p, "enter")
    /\ UNCHANGED <<had, queue, tail, victim, next, grant, phase, dead, expected, rounds, repairing>>

Yield(p) == LET c == Cohort(p) IN
    /\ pc[p] = "yield"
    /\ victim' = IF Breaks("victim") THEN victim ELSE c
    /\ budget' = [budget EXCEPT ![p] = Budget(c)]
    /\ since' = [since EXCEPT ![c] = 0]
    /\ Go(p, "look")
    /\ UNCHANGED <<had, queue, tail, next, grant, phase, dead, expected, rounds, repairing>>

Look(p) ==
    /\ pc[p] = "look"
    /\ Go(p, IF tail[Other(Cohort(p))] = FREE THEN "enter" ELSE "look again")
    /\ UNCHANGED <<had, queue, tail, victim, next, grant, phase, dead, expected, budget, rounds, since, repairing>>

LookAgain(p) ==
    /\ pc[p] = "look again"
    /\ Go(p, IF victim # Cohort(p) THEN "enter" ELSE IF p \in Trying THEN "ask" ELSE "look")
    /\ UNCHANGED <<had, queue, tail, victim, next, grant, phase, dead, expected, budget, rounds, since, repairing>>

(* The leader of the remote cohort, or who repairs it, has died. *)
DoubtOther(p) == LET t == tail["r"] IN
    /\ pc[p] = "look" /\ p \in Local
    /\ t # FREE /\ (IF IsClosed(t) THEN Closer(t) ELSE Of(t)) \in dead
    /\ Go(p, "close") /\ return' = [return EXCEPT ![p] = "look"]
    /\ UNCHANGED <<had, queue, tail, victim, next, grant, phase, dead, expected, budget, rounds, todo, holder, waiters, since>>

(* Its time is over: whoever comes next leads in its place. *)
Retreat(p) ==
    /\ pc[p] = IF p \in Trying THEN "taken" ELSE "look"
    /\ budget' = [budget EXCEPT ![p] = IF Breaks("retreat") THEN @ ELSE 0]
    /\ Go(p, "leave")
    /\ UNCHANGED <<had, queue, tail, victim, next, grant, phase, dead, expected, rounds, since, repairing>>

Competes(q) == pc[q] \in {"look", "look again", "ask", "asked"}

Enter(p) == LET c == Cohort(p) IN
    /\ pc[p] = "enter"
    /\ since' = [since EXCEPT ![Other(c)] = IF \E q \in Proc : Cohort(q) = Other(c) /\ Competes(q) THEN @ + 1 ELSE 0, ![c] = 0]
    /\ Phase(p, "HOLDING")
    /\ Seen
    /\ Go(p, "critical")
    /\ UNCHANGED <<queue, tail, victim, next, grant, dead, expected, budget, rounds, repairing>>

---------------------------------- (* Trying *)

(* It may leave the lock to others only when one of them has it, or waits for who has. Who has given up does not: those before it count.                    *)
HasOrWaits(q) == phase[q] \in {"HOLDING", "WAITING"} \/ (phase[q] = "LEADING" /\ Breaks("leading")) \/ (phase[q] = "LEAVING" /\ Breaks("leaving"))
GivenUp(q) == phase[q] = "LEAVING" /\ q \notin dead /\ ~Breaks("leaving")

GivesUp(p) == End(p) /\ Go(p, "idle")

(* (lost) Somebody of its own cohort is there already. *)
Contest(p) == LET t == expected[p] IN
    /\ pc[p] = "contest"
    /\ IF ~IsClosed(t) /\ Of(t) \in dead /\ p \in Remote
       THEN \/ GivesUp(p) /\ UNCHANGED return
            \/ End(p) /\ Go(p, "close") /\ return' = [return EXCEPT ![p] = "idle"]
       ELSE IF IsClosed(t) \/ HasOrWaits(Of(t)) \/ Breaks("lost")
       THEN GivesUp(p) /\ UNCHANGED return
       ELSE /\ Go(p, IF GivenUp(Of(t)) THEN "contest" ELSE IF phase[Of(t)] = "LEADING" THEN "rival" ELSE "swap")
            /\ expected' = [expected EXCEPT ![p] = IF GivenUp(Of(t)) THEN expected[Of(t)] ELSE FREE]
            /\ UNCHANGED <<phase, next, grant, self, budget, return>>
    /\ UNCHANGED <<had, repairs, tail, victim, dead, rounds, since, todo, holder, waiters>>

(* (taken) Who competes with that one, or with itself. *)
Rival(p) == LET t == tail[Other(Cohort(p))] IN
    /\ pc[p] \in {"rival", "ask"}
    /\ Go(p, IF t = FREE THEN IF pc[p] = "ask" THEN "look" ELSE "swap"
             ELSE IF pc[p] = "ask" THEN "asked" ELSE "rival asked")
    /\ expected' = [expected EXCEPT ![p] = t]
    /\ UNCHANGED <<had, queue, tail, victim, next, grant, phase, dead, budget, rounds, since, repairing>>

Taken(p) == LET t == expected[p] IN
    /\ pc[p] \in {"asked", "rival asked"}
    /\ IF IsClosed(t) \/ Of(t) \in dead \/ HasOrWaits(Of(t)) \/ Breaks("taken")
       THEN IF pc[p] = "asked"
            THEN Go(p, "taken") /\ expected' = [expected EXCEPT ![p] = FREE] /\ UNCHANGED <<phase, next, grant, self, budget>>
            ELSE GivesUp(p)
       ELSE /\ Go(p, IF GivenUp(Of(t)) THEN pc[p] ELSE IF pc[p] = "asked" THEN "look" ELSE "swap")
            /\ expected' = [expected EXCEPT ![p] = IF GivenUp(Of(t)) THEN expected[Of(t)] ELSE FREE]
            /\ UNCHANGED <<phase, next, grant, self, budget>>
    /\ UNCHANGED <<had, repairs, tail, victim, dead, rounds, since, repairing>>

---------------------------------- (* Releasing *)

Critical(p) ==
    /\ pc[p] = "critical"
    /\ Go(p, "leave")
    /\ budget' = [budget EXCEPT ![p] = @ - 1]
    /\ UNCHANGED <<had, queue, tail, victim, next, grant, phase, dead, expected, rounds, since, repairing>>

Leave(p) ==
    /\ pc[p] = "leave"
    /\ Phase(p, "RELEASING")
    /\ Go(p, "release")
    /\ UNCHANGED <<had, queue, tail, victim, next, grant, dead, expected, budget, rounds, since, repairing>>

Release(p) == LET c == Cohort(p) t == tail[c] IN
    /\ pc[p] = "release"
    /\ IF t = self[p] THEN tail' = [tail EXCEPT ![c] = FREE] /\ Go(p, "done") /\ UNCHANGED <<self, expected>>
       ELSE IF IsClosed(t) THEN Go(p, "tell") /\ UNCHANGED <<tail, self, expected>>
       ELSE IF Of(t) = p THEN self' = [self EXCEPT ![p] = t] /\ UNCHANGED <<pc, tail, expected>>
       ELSE Go(p, "successor") /\ expected' = [expected EXCEPT ![p] = t] /\ UNCHANGED <<tail, self>>
    /\ UNCHANGED <<had, repairs, victim, next, grant, phase, dead, budget, rounds, since, repairing>>

(* Tells who repairs that the lock is free. *)
Tell(p) == LET t == tail["r"] IN
    /\ pc[p] = "tell"
    /\ IF IsClosed(t) /\ Breaks("tell") THEN UNCHANGED tail /\ Go(p, "told")
       ELSE IF IsClosed(t) /\ t < 200 THEN tail' = [tail EXCEPT !["r"] = ClosedFree(Closer(t))] /\ Go(p, "told")
       ELSE UNCHANGED tail /\ Go(p, "release")
    /\ UNCHANGED <<had, queue, victim, next, grant, phase, dead, expected, budget, rounds, since, repairing>>

Told(p) ==
    /\ pc[p] = "told"
    /\ Phase(p, "BLOCKED")
    /\ Go(p, "left")
    /\ UNCHANGED <<had, queue, tail, victim, next, grant, dead, expected, budget, rounds, since, repairing>>

(* Whoever comes after it may still be about to link itself to it, until the queue is rebuilt. *)
Left(p) == LET t == tail["r"] IN
    /\ pc[p] = "left"
    /\ IF t # FREE /\ (IF IsClosed(t) THEN Closer(t) ELSE Of(t)) \in dead /\ ~Breaks("left")
       THEN Go(p, "close") /\ return' = [return EXCEPT ![p] = "left"]
       ELSE (~IsClosed(t) \/ Breaks("left")) /\ Go(p, "done") /\ UNCHANGED return
    /\ UNCHANGED <<had, queue, tail, victim, next, grant, phase, dead, expected, budget, rounds, todo, holder, waiters, since>>

Successor(p) == LET c == Cohort(p) t == tail[c] IN
    /\ pc[p] = "successor"
    /\ IF next[p] # 0 /\ (Epoch(next[p]) = Epoch(expected[p]) \/ Breaks("epoch")) THEN Go(p, "pass") /\ UNCHANGED phase
       ELSE IF IsClosed(t) THEN Go(p, "release") /\ UNCHANGED phase
       ELSE /\ c = "r" /\ Of(t) \in dead
            /\ Phase(p, "BLOCKED")
            /\ Go(p, "left")
    /\ UNCHANGED <<had, queue, tail, victim, next, grant, dead, expected, budget, rounds, since, repairing>>

Pass(p) ==
    /\ pc[p] = "pass"
    /\ grant' = IF Of(next[p]) \in dead THEN grant ELSE [grant EXCEPT ![Of(next[p])] = IF budget[p] > 0 THEN budget[p] ELSE 0]
    /\ Go(p, "done")
    /\ UNCHANGED <<had, queue, tail, victim, next, phase, dead, expected, budget, rounds, since, repairing>>

Done(p) ==
    /\ pc[p] = "done"
    /\ End(p)
    /\ Go(p, "idle")
    /\ UNCHANGED <<had, repairs, tail, victim, dead, rounds, since, repairing>>

---------------------------------- (* Repairing the remote cohort's queue *)

(* Whether a repair does without q, which it cannot read: survivors know that q has ended. Who is merely out of reach has not.                              *)
DoesWithout(q) == (q \in dead /\ ~Breaks("survivors")) \/ Breaks("proof")

Return(p) == Go(p, return[p]) /\ return' = [return EXCEPT ![p] = "idle"]

Close(p) == LET t == tail["r"] IN
    /\ pc[p] = "close"
    /\ IF t = FREE \/ (IsClosed(t) /\ Closer(t) \notin dead)
       THEN Return(p) /\ UNCHANGED <<tail, todo>>
       ELSE /\ tail' = [tail EXCEPT !["r"] = Closed(p)]
            /\ todo' = [todo EXCEPT ![p] = Remote]
            /\ Go(p, IF Breaks("settle") THEN "survey" ELSE "settle")
            /\ UNCHANGED return
    /\ UNCHANGED <<had, queue, victim, next, grant, phase, dead, expected, budget, rounds, since, holder, waiters>>

Settle(p) ==
    /\ pc[p] = "settle"
    /\ IF todo[p] = {}
       THEN todo' = [todo EXCEPT ![p] = Remote] /\ Go(p, "survey")
       ELSE /\ \E q \in todo[p] :
               /\ DoesWithout(q) \/ (q \notin dead /\ phase[q] \notin {"ENQUEUEING", "RELEASING"})
               /\ todo' = [todo EXCEPT ![p] = @ \ {q}]
            /\ UNCHANGED pc
    /\ UNCHANGED <<had, queue, tail, victim, next, grant, phase, dead, expected, budget, rounds, return, holder, waiters, since>>

InLine(q) == phase[q] \in {"WAITING", "LEAVING"}
Leads(q) == phase[q] \in {"LEADING", "HOLDING", "RELEASING"} \/ (InLine(q) /\ grant[q] >= 0 /\ ~Breaks("passed"))
Waits(q) == InLine(q) /\ grant[q] = NONE /\ ~(phase[q] = "LEAVING" /\ Breaks("given up"))

Survey(p) ==
    /\ pc[p] = "survey"
    /\ IF todo[p] = {}
       THEN Go(p, "retry") /\ UNCHANGED <<todo, holder, waiters>>
       ELSE \E q \in todo[p] :
            /\ todo' = [todo EXCEPT ![p] = @ \ {q}]
            /\ \/ DoesWithout(q) /\ UNCHANGED <<holder, waiters>>
               \/ /\ q \notin dead
                  /\ holder' = IF Leads(q) THEN [holder EXCEPT ![p] = q] ELSE holder
                  /\ waiters' = IF Waits(q) THEN [waiters EXCEPT ![p] = @ \cup {q}] ELSE waiters
            /\ UNCHANGED pc
    /\ UNCHANGED <<had, queue, tail, victim, next, grant, phase, dead, expected, budget, rounds, return, since>>

Retry(p) ==
    /\ pc[p] = "retry"
    /\ IF waiters[p] = {}
       THEN Go(p, "reopen") /\ UNCHANGED <<grant, waiters>>
       ELSE \E q \in waiters[p] :
            /\ waiters' = [waiters EXCEPT ![p] = @ \ {q}]
            /\ grant' = IF q \in dead THEN grant ELSE [grant EXCEPT ![q] = RETRY]
            /\ UNCHANGED pc
    /\ UNCHANGED <<had, queue, tail, victim, next, phase, dead, expected, budget, rounds, return, todo, holder, since>>

Reopen(p) ==
    /\ pc[p] = "reopen"
    /\ repairs' = repairs + 1
    /\ tail' = [tail EXCEPT !["r"] = IF (@ = Closed(p) \/ Breaks("told")) /\ holder[p] # 0 THEN In(holder[p], repairs') ELSE FREE]
    /\ Return(p)
    /\ holder' = [holder EXCEPT ![p] = 0]
    /\ UNCHANGED <<had, self, victim, next, grant, phase, dead, expected, budget, rounds, todo, waiters, since>>

---------------------------------- (* Death *)

Die(p) ==
    /\ p \in Mortal \ dead /\ pc[p] # "idle"
    /\ dead' = dead \cup {p}
    /\ Go(p, "dead")
    /\ End(p)
    /\ rounds' = [rounds EXCEPT ![p] = 0]
    /\ return' = [return EXCEPT ![p] = "idle"]
    /\ todo' = [todo EXCEPT ![p] = {}]
    /\ holder' = [holder EXCEPT ![p] = 0]
    /\ waiters' = [waiters EXCEPT ![p] = {}]
    /\ UNCHANGED <<had, repairs, tail, victim, since>>

Retreats(p) == p \in Trying /\ Retreat(p)

Must(p) == Swap(p) \/ Block(p) \/ Blocked(p) \/ Lead(p) \/ Link(p) \/ Await(p) \/ Granted(p) \/ Doubt(p)
    \/ Alone(p) \/ Yield(p) \/ Look(p) \/ LookAgain(p) \/ DoubtOther(p) \/ Contest(p) \/ Rival(p) \/ Taken(p) \/ Retreats(p) \/ Enter(p)
    \/ Critical(p) \/ Leave(p) \/ Release(p) \/ Tell(p) \/ Told(p) \/ Left(p) \/ Successor(p) \/ Pass(p) \/ Done(p)
    \/ Close(p) \/ Settle(p) \/ Survey(p) \/ Retry(p) \/ Reopen(p)

May(p) == Prepare(p) \/ GiveUp(p) \/ TakeOver(p) \/ Retreat(p) \/ Die(p)

Over == (\A p \in Proc : pc[p] \in {"idle", "dead"}) /\ UNCHANGED vars

Next == (\E p \in Proc : Must(p) \/ May(p)) \/ Over

Spec == Init /\ [][Next]_vars /\ \A p \in Proc : WF_vars(Must(p)) /\ SF_vars(DoubtOther(p))

---------------------------------- (* What is checked *)

MutualExclusion == Cardinality({p \in Proc : pc[p] = "critical"}) <= 1
BudgetKept == \A c \in {"l", "r"} : since[c] <= Budget(Other(c)) + 1
NothingLeft == (\A p \in Proc : pc[p] = "idle") => (\A c \in {"l", "r"} : tail[c] = FREE)
(* A link is for who was last in the queue then: its descriptor has not been given back.                                                                    *)
LinksAreMeant == \A p \in Proc : pc[p] = "link" /\ Of(expected[p]) \notin dead => phase[Of(expected[p])] # "IDLE"
(* Of those that only try.                                                                                                                                   *)
NobodyLeavesAFreeLock == Mortal = {} => \A p \in Trying : pc[p] = "idle" /\ rounds[p] < Rounds => had[p]
NobodyStarves == \A p \in Proc : pc[p] = "swap" ~> pc[p] \in {"critical", "idle", "dead"}
==================================================================================
