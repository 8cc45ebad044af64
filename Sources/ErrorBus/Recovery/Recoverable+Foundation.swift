public import Foundation
import Synchronization

// The other direction of the bridge: code that knows only Foundation's protocols can read a
// Recoverable and run its options by index.
extension Recoverable: LocalizedError, RecoverableError {
    public var errorDescription: String? { report.description }
    public var failureReason: String? { report.failureReason }
    public var recoverySuggestion: String? { report.recoverySuggestion }
    public var helpAnchor: String? { report.helpAnchor }

    /// The titles, in the order of the report.
    public var recoveryOptions: [String] { report.options.map(\.title) }

    public func attemptRecovery(
        optionIndex: Int, resultHandler handler: @escaping (_ recovered: Bool) -> Void
    ) {
        let handler = ForeignHandler(call: handler)
        runAttempt(optionIndex) { handler.call($0) }
    }

    /// Blocks the calling thread until the attempt has ended (at most its own time limit): the
    /// application-modal form. Not for the cooperative pool; from async code use the attempter.
    public func attemptRecovery(optionIndex: Int) -> Bool {
        let result = BlockingResult()
        runAttempt(optionIndex) { result.set($0) }
        return result.wait()
    }

    private func runAttempt(_ index: Int, then handler: @escaping @Sendable (Bool) -> Void) {
        guard report.options.indices.contains(index) else { return handler(false) }
        let answer = Answer(
            id: PresentationID.make().value, option: report.options[index].id, by: "Foundation",
            via: .handler)
        let attempter = attempter
        Task { handler(await attempter.attemptRecovery(answer).didRecover) }
    }
}

/// Foundation declares its handler without Sendable, yet "call it when the attempt has ended"
/// means from anywhere. It is called once, by the task that ran the attempt.
private struct ForeignHandler: @unchecked Sendable {
    let call: (Bool) -> Void
}

/// A Bool that one thread waits for.
private final class BlockingResult: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    private let recovered = Mutex(false)

    func set(_ value: Bool) {
        recovered.withLock { $0 = value }
        ended.signal()
    }

    func wait() -> Bool {
        ended.wait()
        return recovered.withLock { $0 }
    }
}
