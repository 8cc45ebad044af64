package import BusNodeKit
package import ErrorBus
import Foundation
import Glibc
import Synchronization

/// Presents a worker's share of errors, evenly over the run. After a restart it goes on where its
/// log ends.
package struct ChaosWorker: Sendable {
    /// The most presentations that wait for an answer at a time.
    private static let openMax = 256

    let name: NodeName
    let node: Node
    let log: ChaosLog
    /// The number to present, in all lives together.
    let share: Int
    /// The number presented by earlier lives.
    let done: Int
    /// The start of the run, on the clock of ``uptime``; nil: as the folder says once all are up.
    let start: Duration?
    let folder: ChaosFolder
    /// How long errors are presented.
    let window: Duration
    let seed: UInt64

    package init(
        name: NodeName, node: Node, log: ChaosLog, share: Int, done: Int, start: Duration?,
        folder: ChaosFolder, window: Duration, seed: UInt64
    ) {
        self.name = name
        self.node = node
        self.log = log
        self.share = share
        self.done = done
        self.start = start
        self.folder = folder
        self.window = window
        self.seed = seed
    }

    /// The time since this machine's start: the same clock in every process of a run.
    static var uptime: Duration {
        .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds))
    }

    package func run() async throws {
        let start = try await startOfRun()
        try await withThrowingTaskGroup(of: Void.self) { group in
            var openCount = 0
            for number in min(done, share)..<share {
                let due = start + window * number / share
                let rest = due - Self.uptime
                if rest > .zero { try await Task.sleep(for: rest) }
                try Task.checkCancellation()
                if openCount >= Self.openMax {
                    try await group.next()
                    openCount -= 1
                }
                openCount += 1
                group.addTask { await present(number) }
            }
            try await group.waitForAll()
        }
    }

    private func startOfRun() async throws -> Duration {
        if let start { return start }
        return try await folder.start()
    }

    private func present(_ number: Int) async {
        let id = PresentationID.make()
        var random = SeededGenerator(
            seed: seed, part: "\(name) \(number)")
        let pause = random.duration(in: .zero...(.milliseconds(20)))
        let recovers = random.happens(0.5)
        let error = ChaosError(worker: name.description, number: number).recoverable {
            RecoveryOption("Retry", id: "retry") { try await attempt(id, "retry", pause, recovers) }
            RecoveryOption("Skip", id: "skip") { try await attempt(id, "skip", pause, true) }
            RecoveryOption("Cancel", id: "cancel", role: .cancel) {
                try await attempt(id, "cancel", .zero, false)
            }
        }
        var options = PresentationOptions()
        options.id = id
        _ = await node.chain.presentError(error, options: options)
    }

    private func attempt(
        _ id: PresentationID, _ option: String, _ pause: Duration, _ recovers: Bool
    ) async throws -> Bool {
        log.record(.attempt, id, ["option": option])
        try await Task.sleep(for: pause)
        return recovers
    }
}

/// An automatic presenter: waits a random time, then chooses one of the options at random. Logs
/// when each prompt is shown and when it ends.
package final class ChaosPresenter: Presenter {
    package let presenterName = "chaos"

    private struct State {
        var random: SeededGenerator
        var live: [PresentationID: Prompt] = [:]
    }

    private let log: ChaosLog
    private let state: Mutex<State>

    package init(_ log: ChaosLog, seed: UInt64) {
        self.log = log
        state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    package func present(_ prompt: Prompt) async throws -> Answer? {
        let (thinking, option) = state.withLock { state in
            // A prompt that has ended, and whose task has not noticed yet.
            if let former = state.live[prompt.id], !former.isOpen {
                log.record(.gone, prompt.id, ["reason": "takenAway"])
            }
            state.live[prompt.id] = prompt
            log.record(.prompt, prompt.id, ["origin": prompt.origin?.description ?? ""])
            return (Self.thinkingTime(&state.random), Self.choice(of: prompt, &state.random))
        }
        prompt.moved(to: .presented, by: presenterName)
        do {
            try await Task.sleep(for: thinking)
            let answer = try prompt.answer(option, by: presenterName, via: .policy)
            gone(prompt, "answered")
            return answer
        } catch {
            gone(prompt, "takenAway")
            return nil
        }
    }

    private func gone(_ prompt: Prompt, _ reason: String) {
        state.withLock { state in
            guard state.live[prompt.id] === prompt else { return }
            state.live[prompt.id] = nil
            log.record(.gone, prompt.id, ["reason": reason])
        }
    }

    /// Usually none, sometimes short, rarely several seconds.
    private static func thinkingTime(_ random: inout SeededGenerator) -> Duration {
        switch random.fraction() {
        case ..<0.6: random.duration(in: .zero...(.milliseconds(30)))
        case ..<0.9: random.duration(in: .milliseconds(30)...(.milliseconds(500)))
        default: random.duration(in: .milliseconds(500)...(.seconds(3)))
        }
    }

    /// One of the worker's own options: an option that a relay's rule added may run a command with
    /// real effects.
    private static func choice(of prompt: Prompt, _ random: inout SeededGenerator) -> String {
        let own = prompt.report.options.map(\.id).filter(ChaosError.optionIDs.contains)
        return own.randomElement(using: &random) ?? prompt.report.options.last?.id ?? ""
    }
}

/// The error that workers of a chaos run present.
struct ChaosError: LocalizedError, CustomNSError {
    static let errorDomain = "bus-node.chaos"
    static let optionIDs = ["retry", "skip", "cancel"]

    let worker: String
    let number: Int

    var errorCode: Int { number }
    var errorDescription: String? { "Error \(number) of \(worker)." }
    var failureReason: String? { "A chaos run is under way." }
}

/// Adds the events of a chaos run to a node's ledger: prompts shown, attempts begun. Each line
/// is one write, as in ``EventLog``, so that killing the process loses none.
package final class ChaosLog: Sendable {
    private let node: NodeName
    private let descriptor: CInt

    package init(_ path: String, node: NodeName) throws(Failure) {
        self.node = node
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else {
            throw Failure(.cannotCreate, "ledger \(path): \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    package func record(
        _ kind: LedgerEvent.Kind, _ id: PresentationID, _ fields: [String: String] = [:]
    ) {
        var object: [String: JSONValue] = fields.mapValues { .string($0) }
        object["event"] = .string(kind.rawValue)
        object["id"] = .string(id.description)
        object["node"] = .string(node.description)
        object["pid"] = .integer(Int64(getpid()))
        object["time"] = .string(TimeText.now)
        Terminal.write(JSONValue.object(object).encoded() + [UInt8(ascii: "\n")], to: descriptor)
    }
}
