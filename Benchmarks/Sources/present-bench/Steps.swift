import ArgumentParser
import ErrorBus

/// Presentations one at a time to a running node: for a tool that counts instructions, which are
/// the same on a busy machine.
struct Steps: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Present one at a time, and measure nothing.", shouldDisplay: false)

    @Option var to: String
    @Option var count: Int

    func run() async throws {
        let worker = Worker(parent: try Endpoint(to))
        try await limited(to: .seconds(300)) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await worker.run() }
                for _ in 0..<count { try await worker.present() }
                group.cancelAll()
            }
        }
    }
}
