import ErrorBus

/// A link of the topology with its proxy in between.
struct ChaosLink: Sendable {
    let link: ChaosPlan.Link
    let proxy: FaultProxy

    /// - Parameter folder: Where unix sockets go.
    init(_ link: ChaosPlan.Link, number: Int, folder: String, seed: UInt64) throws {
        self.link = link
        let text =
            switch link.target.address {
            case .tcp: "tcp://127.0.0.1:*"
            case .ipc: "ipc://\(folder)/link-\(number)"
            }
        proxy = try FaultProxy(
            link.name, listen: Endpoint(text), connect: link.target,
            seed: SeededGenerator.seed(seed, part: link.name))
    }

    func begin(_ fault: ScheduledFault) async throws {
        switch fault.action {
        case .down: try await proxy.setEnabled(false)
        case .toxics(let toxics):
            for toxic in toxics { try await proxy.add(toxic) }
            // Messages can be split only from the beginning of a connection.
            if fault.fault == .duplicate {
                try await proxy.setEnabled(false)
                try await proxy.setEnabled(true)
            }
        case .kill, .stop: break
        }
    }

    func end(_ fault: ScheduledFault) async throws {
        switch fault.action {
        case .down: try await proxy.setEnabled(true)
        case .toxics(let toxics):
            for toxic in toxics { try await proxy.removeToxic(toxic.name) }
        case .kill, .stop: break
        }
    }
}
