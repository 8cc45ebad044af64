import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("The replacement of a node's keys")
struct KeyRingTests {
    private let own: KeyPair
    private let client: PublicKey

    init() throws {
        own = try #require(KeyPair.make())
        client = try #require(KeyPair.make()).publicKey
    }

    @Test("An observer that has ended gets no further call, and others do")
    func endedObserver() {
        let keys = LinkKeys(own: own, known: [:])
        let ring = KeyRing(keys)
        let calls = Recorder<String>()
        for (name, goesOn) in [("ended", false), ("live", true)] {
            ring.onReplacement {
                calls.record(name)
                return goesOn
            }
        }
        for _ in 1...3 { ring.replace(with: keys) }
        #expect(calls.elements.count { $0 == "ended" } == 1)
        #expect(calls.elements.count { $0 == "live" } == 3)
    }

    @Test("The keys of a reactor that has gone leave nothing in the ring")
    func gone() {
        let ring = KeyRing()
        for _ in 1...3 {
            let keys = ReactorKeys(ring) {}
            withExtendedLifetime(keys) { #expect(ring.observerCount == 1) }
        }
        #expect(ring.observerCount == 0)
    }

    @Test("A ring without keys knows no key and signs nothing, until it gets keys")
    func empty() {
        let ring = KeyRing()
        #expect(ring.isEmpty && ring.holder(of: client) == nil && !ring.signs)
        ring.replace(with: LinkKeys(own: own, known: ["client": client]))
        #expect(!ring.isEmpty && ring.holder(of: client)?.name == "client")
    }

    @Test(
        "A relay's key speaks for those whom the topology places below it, and for clients",
        arguments: [
            ("leaf", true), ("leaf-1", true), ("other", false), ("other-1", false),
            // A client with a key of its own, though its name begins like a node's.
            ("other-deploy", true), ("unknown", true), ("relay-1", true),
            // A node without a key, whose name begins like the relay's.
            ("relay-2", false),
        ] as [(NodeName, Bool)])
    func places(name: NodeName, isAllowed: Bool) throws {
        let deploy = try #require(KeyPair.make()).publicKey
        var keys = LinkKeys(own: own, known: ["relay": client, "other-deploy": deploy])
        keys.relays = ["relay"]
        keys.places = [
            "relay": .below(["central"]), "leaf": .below(["relay", "central"]),
            "other": .below(["central"]), "relay-2": .below(["central"]),
        ]
        let holder = try #require(KeyRing(keys).holder(of: client))
        #expect(holder.maySpeak(for: name) == isAllowed)
        keys.relays = []
        let worker = try #require(KeyRing(keys).holder(of: client))
        #expect(worker.maySpeak(for: name) == (name == "relay-1"))
    }

    @Test("A key that has become another name's is not accepted for its former holder")
    func movedKey() throws {
        let ring = KeyRing(LinkKeys(own: own, known: ["client": client]))
        let holder = try #require(ring.holder(of: client))
        #expect(ring.accepts(holder) && ring.accepts(holder, as: "client-1"))
        #expect(!ring.accepts(holder, as: "other"))
        ring.replace(with: LinkKeys(own: own, known: ["other": client]))
        #expect(!ring.accepts(holder) && !ring.accepts(holder, as: "client"))
        ring.replace(with: LinkKeys(own: own, known: ["client": client]))
        #expect(ring.accepts(holder))
    }
}
