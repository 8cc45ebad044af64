import ArgumentParser
import ErrorBus

/// Presentations one at a time, to a policy in another process, directly or through a relay: for a
/// tool that counts instructions, which are the same on a busy machine.
struct Steps: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Present one at a time, and measure nothing.", shouldDisplay: false)

    @Option var count: Int
    @Flag var relay = false

    func run() async throws {
        let central = try ServerProcess.start("central")
        var servers = [central]
        if relay { servers.append(try ServerProcess.start("relay", next: central.endpoint)) }
        let worker = Worker(parent: servers[servers.count - 1].endpoint)
        try await limited(to: .seconds(300)) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await worker.run() }
                for _ in 0..<count { try await worker.present() }
                group.cancelAll()
            }
        }
        for server in servers.reversed() { server.stop() }
    }
}
