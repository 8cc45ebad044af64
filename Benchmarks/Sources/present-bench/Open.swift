import ArgumentParser
import ErrorBus
import Foundation
import Glibc

/// The load of a node that runs elsewhere: its children, and what they have open there. Says so on
/// standard output, and ends with its standard input.
struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Hold presentations open at a running node, or only links.",
        discussion: "Prints the seconds until all are presented, then waits for the end of input.")

    @Option(help: "The endpoint of the node.")
    var to: String
    @Option(help: "Presentations in all; 0 for links alone.")
    var count = 10_000
    @Option(help: "Worker nodes that present them.")
    var workers = 10
    @Option(help: "Different errors among them.")
    var kinds = 100

    func validate() throws {
        try checkRanges(
            ("count", count, 0...1_000_000), ("workers", workers, 1...1_000),
            ("kinds", kinds, 1...1_000_000))
    }

    func run() async throws {
        let crowd = Crowd(workers, parent: try Endpoint(to))
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            Glibc.exit(0)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await crowd.run() }
            let arrivals = Arrivals(awaited: 0..<count)
            let clock = ContinuousClock()
            let start = clock.now
            group.addTask { [count, kinds] in
                try await crowd.present(0..<count, kinds: kinds) { number, state in
                    if state.station == .presented { arrivals.arrived(number) }
                }
            }
            group.addTask {
                await arrivals.all()
                let text = "\((clock.now - start).inSeconds)\n"
                FileHandle.standardOutput.write(Data(text.utf8))
            }
            try await group.waitForAll()
        }
    }
}
