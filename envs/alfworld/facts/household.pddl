; The rules of generated households: ours, in the form that the reader of domains understands.
(define (domain household)
 (:types person room spot furniture thing make sort)

 (:predicates
  (stands ?p - person ?s - spot)          ; where a person is
  (placed ?f - furniture ?s - spot)       ; from where a piece of furniture is reached
  (belongs ?s - spot ?r - room)           ; the room of a spot
  (made ?f - furniture ?m - make)         ; what kind of furniture it is
  (sorted ?t - thing ?s - sort)           ; what kind of thing it is
  (fits ?m - make ?s - sort)              ; such things may be put there
  (hinged ?f - furniture)                 ; it can be opened and closed
  (ajar ?f - furniture)                   ; it is open
  (lies ?t - thing ?f - furniture)        ; in it or on it
  (carries ?p - person ?t - thing)
  (laden ?p - person)                     ; a person carries one thing at most
  (portable ?t - thing)
  (washable ?t - thing) (washed ?t - thing)
  (warmable ?t - thing) (warmed ?t - thing)
  (chillable ?t - thing) (chilled ?t - thing)
  (cuttable ?t - thing) (sharp ?t - thing) (halved ?t - thing)
  (switchable ?t - thing) (lit ?t - thing)
  (noticed ?p - person))                  ; nothing hangs on it: looking is an action too

 (:action survey
  :parameters (?p - person ?s - spot)
  :precondition (stands ?p ?s)
  :effect (noticed ?p))

 (:action pockets
  :parameters (?p - person)
  :precondition ()
  :effect (noticed ?p))

 (:action advice
  :parameters (?p - person)
  :precondition ()
  :effect (noticed ?p))

 (:action inspect
  :parameters (?p - person ?f - furniture)
  :precondition (exists (?s - spot) (and (stands ?p ?s) (placed ?f ?s)))
  :effect (noticed ?p))

 (:action study
  :parameters (?p - person ?t - thing)
  :precondition (carries ?p ?t)
  :effect (noticed ?p))

 (:action walk
  :parameters (?p - person ?from - spot ?to - spot ?f - furniture)
  :precondition (and (stands ?p ?from) (placed ?f ?to))
  :effect (and (not (stands ?p ?from)) (stands ?p ?to)))

 (:action unlatch
  :parameters (?p - person ?s - spot ?f - furniture)
  :precondition (and (stands ?p ?s) (placed ?f ?s) (hinged ?f) (not (ajar ?f)))
  :effect (ajar ?f))

 (:action shut
  :parameters (?p - person ?s - spot ?f - furniture)
  :precondition (and (stands ?p ?s) (placed ?f ?s) (hinged ?f) (ajar ?f))
  :effect (not (ajar ?f)))

 (:action grab
  :parameters (?p - person ?s - spot ?t - thing ?f - furniture)
  :precondition (and (stands ?p ?s) (not (laden ?p)) (placed ?f ?s) (lies ?t ?f) (portable ?t)
                     (or (not (hinged ?f)) (ajar ?f)))
  :effect (and (carries ?p ?t) (laden ?p) (not (lies ?t ?f))))

 (:action drop
  :parameters (?p - person ?s - spot ?t - thing ?f - furniture ?m - make ?k - sort)
  :precondition (and (stands ?p ?s) (carries ?p ?t) (placed ?f ?s) (made ?f ?m) (sorted ?t ?k) (fits ?m ?k)
                     (or (not (hinged ?f)) (ajar ?f)))
  :effect (and (lies ?t ?f) (not (carries ?p ?t)) (not (laden ?p))))

 (:action wash
  :parameters (?p - person ?s - spot ?t - thing ?f - furniture)
  :precondition (and (stands ?p ?s) (carries ?p ?t) (placed ?f ?s) (made ?f sinkbasin) (washable ?t))
  :effect (washed ?t))

 (:action warm
  :parameters (?p - person ?s - spot ?t - thing ?f - furniture)
  :precondition (and (stands ?p ?s) (carries ?p ?t) (placed ?f ?s) (made ?f microwave) (warmable ?t))
  :effect (and (warmed ?t) (not (chilled ?t))))

 (:action chill
  :parameters (?p - person ?s - spot ?t - thing ?f - furniture)
  :precondition (and (stands ?p ?s) (carries ?p ?t) (placed ?f ?s) (made ?f fridge) (chillable ?t))
  :effect (and (chilled ?t) (not (warmed ?t))))

 (:action switch
  :parameters (?p - person ?s - spot ?t - thing ?f - furniture)
  :precondition (and (stands ?p ?s) (placed ?f ?s) (lies ?t ?f) (switchable ?t))
  :effect (and (when (lit ?t) (not (lit ?t))) (when (not (lit ?t)) (lit ?t))))

 (:action cut
  :parameters (?p - person ?s - spot ?t - thing ?k - thing ?f - furniture)
  :precondition (and (stands ?p ?s) (carries ?p ?k) (sharp ?k) (placed ?f ?s) (lies ?t ?f) (cuttable ?t)
                     (or (not (hinged ?f)) (ajar ?f)))
  :effect (halved ?t))
)
