import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension NodeDriver {
    /// Notes keys, as when those of the node are replaced.
    fileprivate func use(_ ring: KeyRing) { keys = ring }

    /// Gets failed connections, as from its transport.
    fileprivate func get(_ connections: FailedConnections) { failed(connections) }

    /// The number of each fault in the status.
    fileprivate var faultCounts: [Int] { faults.list().map(\.count) }
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

    @Test("A one-frame report that is being read as the node stops, or comes then, gets one 503")
    func bareAtStop() async {
        let driver = NodeDriver.still(on: transport)
        await driver.takeBare(Message.samplePayload, from: PeerID(1))
        await driver.stop()
        await driver.takeBare(Message.samplePayload, from: PeerID(2))
        let replies = transport.sent.elements
        #expect(replies.map(\.first) == [[1], [2]])
        for reply in replies {
            #expect(String(decoding: reply.last ?? [], as: UTF8.self).contains(#""code":503"#))
        }
        #expect(await driver.takesMore)
    }

    @Test("One-frame reports that are being read have a limit, and leave their room once read")
    func bareReading() async throws {
        let driver = NodeDriver.still(on: transport)
        let frame = Frame(
            repeating: UInt8(ascii: "x"), count: ChildPresentations.waitingMax / 2)
        for number in UInt8(1)...2 {
            #expect(await driver.takesMore)
            await driver.takeBare(frame, from: PeerID(number))
        }
        #expect(await !driver.takesMore)
        // Both are read, and wait for the driver.
        for _ in 1...2 { try await transport.nudges.next() }
        #expect(await !driver.takesMore)
        await driver.tick()
        #expect(await driver.takesMore)
    }

    @Test("Failed connections are logged at once with their number; later ones wake the driver")
    func failedConnections() async {
        let driver = NodeDriver.still(on: transport)
        var two = FailedConnections(.noKeys, from: "a")
        two.add(FailedConnections(.noKeys, from: "b"))
        await driver.get(two)
        #expect(await driver.faultCounts == [2])
        #expect(transport.wakes.elements.isEmpty)
        await driver.get(two)
        #expect(transport.wakes.elements == [transport.now + 10_000])
    }
}
