import os,sys,re
root=sys.argv[1]
P={
'map':'''
 * Hash maps that are spread over the ranks and used one-sidedly (BCL, sections 5.1 and 5.3).
 *
 * <p>Read in this order:
 * <ol>
 * <li>{@link io.atoll.map.LongLongMap}, from long to long, is the shorter walk: {@code LongBucket} is the picture of
 * two words, {@code LongSearch} finds, {@code LongWriter} reserves and publishes, {@code LongTable} joins both.
 * <li>{@link io.atoll.map.DistributedMap}, for any key and value: {@code Bucket} is the picture, {@code BucketSearch}
 * finds, {@code BucketWriter} reserves, writes and publishes, {@code BucketTable} joins both. {@code Edit} says what an
 * operation wants, {@code Entries} how it reaches the buckets: {@code InlineEntries} keep keys and values in them,
 * {@code PayloadEntries} beside them ({@code Payload}, {@code PayloadReference}).
 * <li>Where a rank's buckets lie: {@code Block} is the picture, {@code FixedBlocks} stay, {@code GrowingBlocks} are
 * replaced by larger ones while the map is used ({@code Migration}, {@code Mover}, {@code Capacity}).
 * <li>Several keys at once: {@code BulkFind}, {@code BulkPut}, {@code BucketIterator}.
 * <li>{@link io.atoll.map.HashMapBuffer}: insertions are sent to their owners in batches ({@code Stage},
 * {@code Message}).
 * <li>{@code MapUse}: the promises of callers, and who checks them.
 * </ol>''',
'lock':'''
 * Locks for all ranks that do not hang when a rank dies: the asymmetric lock of ALock and the distributed lock table.
 *
 * <p>Read in this order:
 * <ol>
 * <li>{@link io.atoll.lock.LockTable} is what applications use; {@code OpenTable} is a table that this process has
 * opened.
 * <li>The words in the segments: {@code LockLine} and {@code Tail} of a lock, {@code Descriptor}, {@code Phase} and
 * {@code Grant} of a request, {@code CountLine} of what is counted, {@code TableLayout} of the whole.
 * <li>{@code QueueLock}: two queues, one of the owner's threads ({@code LocalCohort}) and one of all others
 * ({@code RemoteCohort}), and the budget that lets them take turns ({@code Contest}). {@code OwnLocks} is the short way
 * of the owner.
 * <li>What becomes of a queue when a rank dies: {@code Repair}, {@code LeftPlaces}, {@code Departure}, {@code Keeper}.
 * <li>What others may see and ask for: {@link io.atoll.lock.LockView}, {@link io.atoll.lock.LockState},
 * {@code WaitGraph}; {@link io.atoll.lock.ForcedUnlock} and the mailbox that carries it ({@code Demand},
 * {@code Demander}, {@code Demands}, {@code Note}).
 * <li>{@code SpinLock} is there to compare with.
 * </ol>''',
'epoch':'''
 * Epoch-based reclamation (Dewan and Jenkins): an object that was unlinked is freed when no thread of any rank can
 * still hold a pointer to it.
 *
 * <p>Read in this order:
 * <ol>
 * <li>{@link io.atoll.epoch.EpochManager} and {@link io.atoll.epoch.Token}: what applications use, and the argument why
 * it is safe.
 * <li>The words in the segments: {@code EpochBlock}, {@code Announcement}, {@code Bag}.
 * <li>{@code WorldToken} announces and retires; {@code GlobalEpoch} advances the epoch; {@code LimboLists} keep what
 * waits; {@code ScatterList} hands groups back to the owners of their objects.
 * <li>{@code Reclamation}: a rank's part, and what becomes of the part of a rank that has died.
 * <li>{@link io.atoll.epoch.EpochSnapshot}, {@code EpochReader}: what others see, read one-sidedly.
 * <li>{@link io.atoll.epoch.LocalEpochManager}, {@code LocalToken}, {@code LocalBag}: the same for the threads of one
 * process, without a world.
 * </ol>''',
'queue':'''
 * Queues in rings, used one-sidedly (BCL, section 5.2).
 *
 * <p>Read in this order:
 * <ol>
 * <li>{@link io.atoll.queue.CircularQueue} and {@link io.atoll.queue.LongCircularQueue}: what applications use.
 * <li>The words in the segments: {@code QueueBlock}, {@code RingBlock}, {@code RingReference}, {@code Slot}.
 * <li>{@code TicketRing}: a push and a pop draw tickets; {@code Holes} passes over the tickets of the dead;
 * {@code Announcements} tell which pushes are under way.
 * <li>{@code RingChain}: how a queue moves to another ring while it is used; {@code TicketQueue} joins both.
 * <li>{@link io.atoll.queue.FastQueue}, {@code FastRing}: for phases that barriers separate.
 * </ol>''',
'linked':'''
 * Structures of linked nodes that all ranks share: Treiber's stack, and the queue of Michael and Scott (Dewan and
 * Jenkins).
 *
 * <p>Read {@link io.atoll.linked.LinkedStack} with {@code TreiberStack}, then {@link io.atoll.linked.LinkedQueue} with
 * {@code MichaelScottQueue}. {@code Nodes} are what both are made of: a link and a value, at one rank.''',
'filter':'''
 * Bloom filters that are spread over the ranks and used one-sidedly (BCL, section 5.4).
 *
 * <p>Read {@link io.atoll.filter.BloomFilter} and {@link io.atoll.filter.LongBloomFilter}, then {@code FilterBlocks}
 * (the words in the segments), {@code WordChanges} and {@code ManyElements} (one element, many at once), and
 * {@code FilterSize} with {@code BlockedRate} (how large a filter is for a rate of false positives).''',
'heap':'''
 * The allocator of the world's segments, which works by verbs alone: runs of slabs, and small objects within slabs.
 *
 * <p>Read in this order: {@code HeapArea} and {@code SlabWord} (the table that says what each slab is used for),
 * {@code Runs} and {@code Coalescing} (runs are reserved, committed, freed and joined), {@code SmallObjects} with
 * {@code ObjectSlab} and {@code Stock} (small objects are claimed in groups), {@code BulkFree}, and
 * {@link io.atoll.heap.Heap}, which joins them.''',
'collective':'''
 * What the members of a team do together: broadcasts that only the root calls, and exchanges that all members call
 * (Paznikov).
 *
 * <p>Read in this order:
 * <ol>
 * <li>{@link io.atoll.collective.Collectives}, {@code Team} and {@code BinomialTree}: the members, and the tree along
 * which data goes from one to all.
 * <li>{@link io.atoll.collective.Broadcast}: the root writes, members pass on ({@code BroadcastBlock} is the picture,
 * {@code Window}, {@code Sending}, {@code Broadcaster}).
 * <li>{@code Exchange}: barriers, reductions, gathering and scattering ({@code Rooms}, {@code Lanes}).
 * <li>{@link io.atoll.collective.LogGP} and {@code BroadcastSimulation}: what a broadcast should take;
 * {@code CostMeasurement} finds the model's parameters by sending.
 * <li>{@code CollectiveLog}: which collectives a process has begun, and what became of them.
 * </ol>''',
'codec':'''
 * How values lie in memory: what a codec is, how records are taken apart, and the hash of what is stored.
 *
 * <p>Read {@link io.atoll.codec.Codec} (a fixed size) with {@code Shape}, then {@link io.atoll.codec.VariableCodec}
 * (any size). {@link io.atoll.codec.Codecs} and {@link io.atoll.codec.VariableCodecs} make them of types.''',
'codec.kryo':'''
 * Objects of any allowed class, and of no other class, in bytes. The only package that knows Kryo.''',
'world':'''
 * A rank's part in a world: what ranks rely on of each other, and the directory of named structures.
 *
 * <p>Read in this order:
 * <ol>
 * <li>{@code Participant}: a rank, with its segment, its peers and its services. {@code Peers}: which ranks it has met.
 * {@code Membership} and {@code Member}: how ranks find each other.
 * <li>{@code Directory}, {@code DirectoryEntry}, {@code Creation}: named structures are created or found from any rank,
 * although a rank may die on the way. {@code Handle} opens a structure on first use.
 * <li>{@code Waits}, {@code Doing}, {@code Reservations}: how a rank waits for what another is in the middle of, and
 * when it may repair instead.
 * <li>{@code FencedFabric}, {@code Rejoining}: how a rank that was removed is kept out, and how it comes back.
 * </ol>''',
'array':'''
 * Arrays in the segment of one rank, or of all, read and written one-sidedly, and pointers to elements anywhere in the
 * world (BCL, section 3).
 *
 * <p>Read {@link io.atoll.array.Array}, {@link io.atoll.array.DistributedArray} and {@link io.atoll.array.LongArray},
 * then {@code ElementBlock} and {@link io.atoll.array.Pointer}.''',
'fabric.trace':'''
 * Fabrics around a fabric: they record verbs ({@code RecordingFabric}), count them ({@code MeteredFabric}) or delay
 * them as a slower network would ({@code DelayedFabric}).''',
'fabric.shm':'''
 * The fabric between processes of one host: each process maps the segment files of all ranks.
 *
 * <p>Read {@code SharedMemoryFabric} and {@code SharedMemoryAttachment}, then {@code SegmentFile} and {@code WorldFiles}
 * (the files and who owns them) and {@code RankLock} (the lock that proves that a rank lives).''',
'fabric.rdma':'''
 * The fabric over RDMA: reads, writes and atomics that the owner's network card executes, on reliable connections.
 *
 * <p>Read in this order: {@code VerbsFabric} and {@code VerbsBatch} (verbs become work requests), {@code QueuePairLane}
 * and {@code QueuePairWire} (requests under way to one rank), {@code VerbsGreeting} with {@code Challenges} (which rank
 * is let into a segment), {@code Device} with {@code Survey} and {@code Ordering} (what the device guarantees),
 * {@code RegisteredMemory}.''',
'disni':'''
 * DiSNI's verbs API on Java's foreign functions. Programs written for DiSNI run on libibverbs and librdmacm as they are
 * installed everywhere, without DiSNI's own native library, and with atomics.
 *
 * <p>Read {@code ForeignVerbs} and {@code ForeignRdmaCm} (the two providers), {@code NativeLibrary} and
 * {@code NativeFunction} (C as Java sees it), {@code Ibverbs} and {@code Rdmacm} (the two libraries), then
 * {@code QueuePair} and {@code CompletionQueue} with {@code PostSend} and {@code PollCompletions}, which work without
 * allocation.''',
}
for p,t in P.items():
    d=f'{root}/structures/src/main/java/io/atoll/{p.replace(".","/")}'
    if not os.path.isdir(d): print('no',d); continue
    names={f[:-5] for f in os.listdir(d)}
    for m in re.findall(r'\{@(?:code|link) ([\w.]+)\}',t):
        n=m.rsplit('.',1)[-1]
        if n not in names: print('UNKNOWN',p,n)
    open(d+'/package-info.java','w').write('/**'+t+'\n */\n@NullMarked\npackage io.atoll.'+p+';\n\nimport org.jspecify.annotations.NullMarked;\n')
