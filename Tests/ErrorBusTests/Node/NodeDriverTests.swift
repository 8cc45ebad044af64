import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension NodeDriver {
    /// Notes keys, as when those of the node are replaced.
    fileprivate func use(_ ring: KeyRing) { keys = ring }
}

@Suite("The driver of a node", .timeLimit(.minutes(10)))
struct NodeDriverTests {
    private let transport = StillTransport()

    /// Starts a driver with a chain that is kept nowhere else.
    private func start(_ driver: NodeDriver, _ freed: Recorder<Void>) async throws {
        let token = LifeToken(freed)
        let head = ClosureResponder(
            "head", next: nil,
            present: { [token] _, _ in
                withExtendedLifetime(token) {}
                return nil
            })
        let presentations = ChildPresentations(
            name: "central", chain: head, readsReports: false, parts: NodeParts(logger: .silent))
        try await driver.start(
            .init(presentations: presentations, isPassage: false, state: { [] }))
    }

    @Test("A driver that has stopped keeps nothing of its node's chain")
    func stopped() async throws {
        let (driver, freed) = (NodeDriver.still(on: transport), Recorder<Void>())
        try await start(driver, freed)
        #expect(freed.elements.isEmpty)
        await driver.stop()
        #expect(freed.elements.count == 1)
    }

    @Test(
        "A one-frame report is dropped if its sender's key is revoked while it is read",
        arguments: [false, true])
    func bare(isRevoked: Bool) async throws {
        let own = try #require(KeyPair.make())
        let client = try #require(KeyPair.make()).publicKey
        let ring = KeyRing(LinkKeys(own: own, known: ["client": client]))
        var peer = PeerID(1)
        peer.holder = ring.holder(of: client)
        let driver = NodeDriver.still(on: transport)
        await driver.use(ring)
        await driver.takeBare(Message.samplePayload, from: peer)
        // It is read, and waits for the driver.
        try await transport.nudges.next()
        if isRevoked { ring.replace(with: LinkKeys(own: own, known: [:])) }
        await driver.tick()
        #expect(await driver.machine.tableSizes.openBelow == (isRevoked ? 0 : 1))
    }
}
