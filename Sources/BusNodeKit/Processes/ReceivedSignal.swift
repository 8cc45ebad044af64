import Foundation
import Glibc
import Synchronization

/// A signal that this process received.
package struct ReceivedSignal: Hashable, Sendable {
    let number: Int32
    /// Whether a key of the terminal sent the signal, which the kernel sends to the whole
    /// foreground group. A signal of a process may be for this process alone.
    let isKey: Bool

    /// The pipe of the handler, which may do no more than write.
    private static let pipeEnd = Atomic<CInt>(-1)
    /// The mark that is added to the number of a signal from the kernel.
    private static let kernelMark: UInt8 = 0x80

    /// Each of these signals that this process receives from now on, as long as it lives. A signal
    /// that was ignored at its start stays ignored, as in shells. Dispatch, and libraries on top of
    /// it, do not say where a signal came from.
    static func trapping(_ numbers: [Int32]) throws(Failure) -> AsyncStream<ReceivedSignal> {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw Failure(.software, "pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        pipeEnd.store(ends[1], ordering: .releasing)
        let (stream, continuation) = AsyncStream<ReceivedSignal>.makeStream()
        for number in numbers where !isIgnored(number) { trap(number) }
        let source = ends[0]
        Thread.detachNewThread { read(source, to: continuation) }
        return stream
    }

    /// The signals that this process ignores for itself alone: commands have the default action.
    private static let ignored = Mutex<Set<Int32>>([])
    static var ignoredHere: Set<Int32> { ignored.withLock(\.self) }

    /// Ignores a signal in this process, and not in its commands. One that was ignored at the start
    /// stays ignored in them, too.
    package static func ignore(_ number: Int32) {
        ignored.withLock { ignored in
            guard !isIgnored(number) else { return }
            ignored.insert(number)
            signal(number, SIG_IGN)
        }
    }

    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        // SIG_IGN, an address that is no function's.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    private static func trap(_ number: Int32) {
        var action = sigaction()
        action.__sigaction_handler.sa_sigaction = { number, information, _ in
            let error = errno
            // Above 0 is what only the kernel sends.
            let isOfKernel = (information?.pointee.si_code ?? 0) > 0
            var byte =
                UInt8(truncatingIfNeeded: number) | (isOfKernel ? ReceivedSignal.kernelMark : 0)
            _ = write(ReceivedSignal.pipeEnd.load(ordering: .acquiring), &byte, 1)
            errno = error
        }
        // One at a time on a thread, also while something here is initialised.
        sigfillset(&action.sa_mask)
        action.sa_flags = SA_SIGINFO | SA_RESTART
        sigaction(number, &action, nil)
    }

    private static func read(
        _ source: CInt, to continuation: AsyncStream<ReceivedSignal>.Continuation
    ) {
        var byte: UInt8 = 0
        while true {
            guard Glibc.read(source, &byte, 1) == 1 else { continue }
            let number = Int32(byte & ~kernelMark)
            let isKey = byte & kernelMark != 0 && [SIGINT, SIGQUIT].contains(number)
            continuation.yield(ReceivedSignal(number: number, isKey: isKey))
        }
    }
}
