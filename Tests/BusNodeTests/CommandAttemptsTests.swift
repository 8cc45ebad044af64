import ErrorBusTesting
import Foundation
import Logging
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// The presentations of a command that fails again and again.
struct CommandAttemptsTests {
    private let folder: TemporaryFolder
    private let command = [Array("backup".utf8)]

    init() throws { folder = try TemporaryFolder() }

    private var limit: WaitingLimit {
        WaitingLimit(
            countMax: 1, folder: "\(folder.path)/own", logger: Logger(label: "test"))
    }

    @Test("A failure has its place only while it waits: the next one of the command has it again")
    func place() async throws {
        let failure = CommandFailure(
            command: command, in: "/srv",
            ending: CommandEnding(status: .exited(4), errorTail: "", duration: .zero))
        let isFull = Recorder<Bool>()
        let next = ClosureResponder(
            "next", next: nil,
            present: { [limit, digest = failure.digest] _, _ in
                // What another process finds meanwhile.
                if case .full = limit.admission(of: digest) {
                    isFull.record(true)
                } else {
                    isFull.record(false)
                }
                return Outcome(didRecover: false, reason: .expired, decidedBy: "next")
            })
        let attempts = CommandAttempts(
            command: command, retriesOffered: nil, options: PresentationOptions(), isQuiet: true,
            mask: nil, waitingLimit: limit, next: next)
        for _ in 1...2 {
            #expect(await attempts.presentError(failure).reason == .expired)
        }
        #expect(isFull.elements == [true, true])
        let left = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/own")
        #expect(left.isEmpty)
    }
}
