import CSimulation
import HeapModule

/// The order in which everything happens: the jobs of Swift's tasks, and events at virtual times.
/// Both are picked by the seed alone, on one thread.
// Unchecked: a simulation has one thread, which `Simulation.run` proves at its end.
final class Scheduler: @unchecked Sendable {
    private struct Event: Comparable {
        let due: UInt64
        let order: UInt64
        let run: () -> Void

        static func < (left: Event, right: Event) -> Bool {
            (left.due, left.order) < (right.due, right.order)
        }

        static func == (left: Event, right: Event) -> Bool { left.order == right.order }
    }

    /// The one that C's functions speak to.
    // Unsafe: the hook of the runtime is one per process, and so is what it calls.
    nonisolated(unsafe) private static var current: Scheduler?

    // Here and in what else each event goes through, the check of exclusive access would cost more
    // than the access.
    /// Milliseconds; the start is 1,000 s so that every difference fits.
    @exclusivity(unchecked) private(set) var now: UInt64 = 1_000_000
    @exclusivity(unchecked) var random: SeededGenerator
    @exclusivity(unchecked) private(set) var trace = Trace()
    /// The executor whose job runs.
    @exclusivity(unchecked) fileprivate var executor: SimulatedExecutor?
    @exclusivity(unchecked) private var ready: [() -> Void] = []
    @exclusivity(unchecked) private var events = Heap<Event>()
    @exclusivity(unchecked) private var order: UInt64 = 0
    @exclusivity(unchecked) private(set) var jobCount = 0
    /// More jobs and events than this without time passing, and a world stands still.
    private static let countMax = 5_000
    @exclusivity(unchecked) private var countNow = 0
    @exclusivity(unchecked) private(set) var stuckAt: UInt64?
    /// What is due in the same millisecond need not wait for the jobs that are ready.
    @exclusivity(unchecked) var isCrowded = false

    /// Nothing happens from here on.
    func stop() { stuckAt = stuckAt ?? now }

    init(seed: UInt64, isVerbose: Bool) {
        random = SeededGenerator(seed: seed)
        trace.isVerbose = isVerbose
        // What is left of a world stays as it is: its end would have jobs in this one.
        if let former = Scheduler.current { _ = Unmanaged.passRetained(former) }
        Scheduler.current = self
        simulation_begin(seed ^ 0x5DEE_CE66, now * 1_000_000) { job, when in
            Scheduler.current?.take(job, when)
        }
    }

    private func take(_ job: SimulatedJob, _ when: UInt64) {
        let run = { job.run(job.context) }
        guard when > 0 else { return ready.append(run) }
        // Up, so that what has slept sees its time passed.
        let due = (when + 999_999) / 1_000_000
        at(max(due, now)) { [self] in ready.append(run) }
    }

    fileprivate func enqueue(_ run: @escaping () -> Void) { ready.append(run) }

    func at(_ time: UInt64, _ run: @escaping () -> Void) {
        order += 1
        events.insert(Event(due: max(time, now), order: order, run: run))
    }

    func after(_ milliseconds: UInt64, _ run: @escaping () -> Void) {
        at(now + milliseconds, run)
    }

    /// Puts the clock on the wall forward or back.
    func moveWallClock(_ milliseconds: Int64) {
        simulation_move_wall_clock(milliseconds * 1_000_000)
    }

    func sleep(_ milliseconds: UInt64) async {
        await withUnsafeContinuation { continuation in
            after(milliseconds) { continuation.resume() }
        }
    }

    func note(_ text: String, _ frames: [[UInt8]] = []) { trace.note(text, frames, at: now) }

    /// Runs until nothing is ready and `end` has come, or `isOver` says so between two events.
    func run(until end: UInt64, isOver: () -> Bool = { false }) {
        while stuckAt == nil {
            simulation_step()
            countNow += 1
            if countNow > Self.countMax { stuckAt = now }
            let isNextDue = isCrowded && (events.min.map { $0.due <= now } ?? false)
            if !ready.isEmpty, !isNextDue || random.happens(0.5) {
                ready.swapAt(random.index(below: ready.count), ready.count - 1)
                let job = ready.removeLast()
                jobCount += 1
                job()
                continue
            }
            guard !isOver(), let next = events.min, next.due <= end else { return }
            _ = events.popMin()
            if next.due > now {
                now = next.due
                countNow = 0
                simulation_set_time(now * 1_000_000)
            }
            next.run()
        }
    }
}

/// The executor of one life's drivers, in place of the reactor's thread.
// Unchecked: see Scheduler.
final class SimulatedExecutor: SerialExecutor, @unchecked Sendable {
    private let scheduler: Scheduler
    /// Once the life is over none of its jobs runs.
    var isDead = false
    var frozenUntil: UInt64 = 0

    init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let work = { [self] in
            guard !isDead else { return }
            run { job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
        if scheduler.now < frozenUntil {
            scheduler.at(frozenUntil) { [self] in scheduler.enqueue(work) }
        } else {
            scheduler.enqueue(work)
        }
    }

    /// Runs `body` as a job of this executor.
    func run(_ body: () -> Void) {
        let before = scheduler.executor
        scheduler.executor = self
        body()
        scheduler.executor = before
    }

    func checkIsolated() {
        precondition(scheduler.executor === self, "called from outside the transport's executor")
    }

    func isIsolatingCurrentContext() -> Bool? { scheduler.executor === self }
}

/// What happened, in order, as a number: two runs are the same when their traces are.
struct Trace {
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var lineCount = 0
    var isVerbose = false

    /// - Parameter frames: Follow the text, with a bar between two.
    mutating func note(_ text: String, _ frames: [[UInt8]], at time: UInt64) {
        lineCount += 1
        add(String(time).utf8)
        add(UInt8(ascii: " "))
        add(text.utf8)
        for number in frames.indices {
            if number > 0 { add(UInt8(ascii: "|")) }
            add(frames[number])
        }
        add(UInt8(ascii: "\n"))
        guard isVerbose else { return }
        let said = frames.map { String(decoding: $0, as: UTF8.self) }
        print("\(time) \(text)\(said.joined(separator: "|"))")
    }

    private mutating func add(_ byte: UInt8) {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }

    private mutating func add(_ bytes: some Sequence<UInt8>) {
        let isAdded: Void? = bytes.withContiguousStorageIfAvailable { bytes in
            for byte in bytes { add(byte) }
        }
        if isAdded == nil { for byte in bytes { add(byte) } }
    }
}
