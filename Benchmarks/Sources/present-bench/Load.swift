import ArgumentParser
import ErrorBus
import Foundation
import Glibc

/// One of the processes whose errors are a storm: says when its links are up, presents all its
/// errors at the next line of its standard input, and says when all are presented and when all have
/// ended.
struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Be one of the processes of workers in a storm.", shouldDisplay: false)

    @Option var to: String
    @Option var count: Int
    @Option var workers: Int
    @Option var prefix: String

    func run() async throws {
        let crowd = Crowd(workers, prefix: prefix, parent: try Endpoint(to))
        let gate = Gate()
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty { gate.open() }
            Glibc.exit(0)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await crowd.run() }
            say("ready")
            await gate.opened()
            let arrivals = Arrivals(awaited: 0..<count)
            group.addTask {
                await arrivals.all()
                say("presented")
            }
            try await crowd.present(0..<count) { number, state in
                if state.station == .presented { arrivals.arrived(number) }
            }
            say("ended")
            try await group.waitForAll()
        }
    }

    private func say(_ word: String) {
        FileHandle.standardOutput.write(Data("\(word)\n".utf8))
    }
}

/// The processes of workers in a storm.
struct Loads: Sendable {
    /// As many errors as a process presents at once, well below its limit of 16,384.
    private static let share = 10_000

    private let processes: [ChildProcess]

    /// - Parameters:
    ///   - count: Presentations in all.
    ///   - workers: Worker nodes for each of the processes.
    init(_ count: Int, workers: Int, parent: Endpoint) throws {
        let processCount = (count + Self.share - 1) / Self.share
        processes = try (0..<processCount).map { number in
            let own = count * (number + 1) / processCount - count * number / processCount
            return try ChildProcess([
                "load", "--to", parent.description, "--count", "\(own)",
                "--workers", "\(workers)", "--prefix", "worker\(number + 1).",
            ])
        }
        try expect("ready")
    }

    func begin() throws {
        for process in processes { try process.say("begin") }
    }

    /// Returns once each of them has said the word.
    func expect(_ word: String) throws {
        for process in processes {
            let said = try process.said()
            guard said == "\(word)\n" else {
                throw BenchFailure("a process of workers said \(said), expected: \(word)")
            }
        }
    }

    func stop() {
        // Backwards: a later one has inherited the inputs of those before it.
        for process in processes.reversed() { process.stop() }
    }
}
