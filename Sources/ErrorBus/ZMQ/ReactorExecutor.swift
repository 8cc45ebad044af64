import CZMQ
import Dispatch
import Glibc
import Synchronization

/// A serial executor of one thread: it runs the jobs of the actors that share it, and waits between
/// jobs in its poll function for sockets and for the next job.
final class ReactorExecutor: SerialExecutor {
    private enum Stage {
        /// The thread has not started; jobs wait for it.
        case idle
        case running
        /// The thread has ended; late jobs run on a queue, so that they run at all.
        case stopped
    }

    typealias Poll = @Sendable (_ mayWait: Bool) -> Void

    /// The thread's name in `ps -L` and debuggers.
    static let threadName = "errorbus"

    private struct State {
        var jobs: [UnownedJob] = []
        var stage = Stage.idle
        var stopRequested = false
    }

    private let state = Mutex(State())
    private let thread = Atomic<UInt>(0)
    private let afterwards = DispatchQueue(label: "errorbus.reactor.afterwards")
    private let afterwardsKey = DispatchSpecificKey<Bool>()
    private let event = Atomic<CInt>(-1)
    /// Whether there was a signal since the last poll returned.
    private let isSignalled = Atomic(false)
    /// Whether the thread waits in its poll, or is about to: only then a signal has to wake it.
    private let isWaiting = Atomic(false)
    /// The descriptor that is readable when a signal has to wake the thread, part of every poll.
    /// Negative before the start.
    var wakeDescriptor: CInt { event.load(ordering: .acquiring) }
    var isStarted: Bool { wakeDescriptor >= 0 }

    init() { afterwards.setSpecific(key: afterwardsKey, value: true) }

    deinit { if isStarted { close(wakeDescriptor) } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let (isStopped, isFirst) = state.withLock { state in
            if state.stage == .stopped { return (true, false) }
            state.jobs.append(job)
            return (false, state.jobs.count == 1)
        }
        if isStopped {
            afterwards.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
        } else if isFirst, !isOnThread {
            // The first job wakes the thread, which takes all jobs at once.
            signal()
        }
    }

    /// Starts the thread, once. `poll` reads the sockets and, when it may wait, waits for them and
    /// for ``wakeDescriptor``.
    ///
    /// - Throws: When the system has no descriptor or thread left. After that it may be called
    ///   again.
    func start(poll: @escaping Poll) throws(TransportError) {
        let problem = state.withLock { state -> CInt? in
            guard state.stage == .idle else { return nil }
            let descriptor = eventfd(0, CInt(EFD_NONBLOCK) | CInt(EFD_CLOEXEC))
            guard descriptor >= 0 else { return errno }
            event.store(descriptor, ordering: .releasing)
            let start = Unmanaged.passRetained(ThreadStart(executor: self, poll: poll))
            var handle = pthread_t()
            let status = pthread_create(&handle, nil, reactorThread, start.toOpaque())
            guard status == 0 else {
                start.release()
                event.store(-1, ordering: .releasing)
                close(descriptor)
                return status
            }
            pthread_detach(handle)
            state.stage = .running
            return nil
        }
        guard let problem else { return }
        throw TransportError(
            endpoint: nil, operation: "start the thread of the sockets",
            reason: String(cString: strerror(problem)), isInUse: false)
    }

    /// Ends the thread once no job waits. Callable from any thread.
    func stop() {
        state.withLock { $0.stopRequested = true }
        signal()
    }

    /// Wakes the poll, or keeps the next poll from waiting. Callers store their news before they
    /// signal.
    func signal() {
        // Each side writes its own flag before it reads the other's: one of them sees both.
        isSignalled.store(true, ordering: .sequentiallyConsistent)
        let descriptor = wakeDescriptor
        guard isWaiting.exchange(false, ordering: .sequentiallyConsistent), descriptor >= 0 else {
            return
        }
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    /// Notes that the thread is about to wait in its poll; false if it must not wait, after a
    /// signal.
    func mayBeginWait() -> Bool {
        isWaiting.store(true, ordering: .sequentiallyConsistent)
        return !isSignalled.load(ordering: .sequentiallyConsistent)
    }

    /// Notes that the poll has returned. This turn looks, after this call, at the news of all
    /// signals before.
    ///
    /// - Parameter isReadable: Whether ``wakeDescriptor`` is readable, which ends with this call.
    func waited(isReadable: Bool) {
        isWaiting.store(false, ordering: .sequentiallyConsistent)
        isSignalled.store(false, ordering: .sequentiallyConsistent)
        guard isReadable else { return }
        var count: UInt64 = 0
        _ = read(wakeDescriptor, &count, 8)
    }

    fileprivate func run(_ poll: Poll) {
        czmq_name_thread(Self.threadName)
        thread.store(UInt(pthread_self()), ordering: .releasing)
        while let jobs = nextJobs() {
            for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
            // A job enqueued by one of these, on this thread, sent no signal.
            let (mayPoll, mayWait) = state.withLock { (!$0.stopRequested, $0.jobs.isEmpty) }
            if mayPoll { poll(mayWait) }
        }
        thread.store(0, ordering: .releasing)
    }

    /// Takes the waiting jobs; nil, for good, when the thread has to end and no job waits.
    private func nextJobs() -> [UnownedJob]? {
        state.withLock { state in
            if state.jobs.isEmpty, state.stopRequested {
                state.stage = .stopped
                return nil
            }
            var jobs: [UnownedJob] = []
            swap(&jobs, &state.jobs)
            return jobs
        }
    }

    private var isOnThread: Bool {
        thread.load(ordering: .acquiring) == UInt(pthread_self())
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "not on the reactor's thread")
    }

    func isIsolatingCurrentContext() -> Bool? {
        isOnThread || DispatchQueue.getSpecific(key: afterwardsKey) == true
    }
}

private final class ThreadStart: Sendable {
    let executor: ReactorExecutor
    let poll: ReactorExecutor.Poll

    init(executor: ReactorExecutor, poll: @escaping ReactorExecutor.Poll) {
        self.executor = executor
        self.poll = poll
    }
}

/// The entry of the thread. A C callback has to be nonisolated: a closure in isolated code traps
/// when C calls it.
private func reactorThread(_ raw: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let raw else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(raw).takeRetainedValue()
    start.executor.run(start.poll)
    return nil
}
