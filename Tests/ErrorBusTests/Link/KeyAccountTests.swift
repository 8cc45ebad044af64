import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// What counts for a key, whatever names its links have.
@Suite struct KeyAccountTests {
    private let id = PresentationID(1)

    private static func peer(
        _ name: NodeName, _ number: UInt8, of character: Character = "0", isRelay: Bool = false
    ) throws -> PeerID {
        let key = try #require(PublicKey(String(repeating: character, count: 40)))
        var peer = PeerID(number)
        peer.holder = KeyHolder(key: key, name: name, reserved: [], isRelay: isRelay)
        return peer
    }

    @Test("withdrawals of what was never asked count for the key, not for each of its names")
    func unasked() throws {
        var rig = DownlinkRig()
        for (number, name) in [(1, "w-1"), (2, "w-2")] as [(UInt8, NodeName)] {
            let peer = try Self.peer("w", number)
            let id = PresentationID(UInt64(number))
            _ = rig.get(.hello(name), from: peer)
            _ = rig.get(.withdraw(id: id, reason: .origin), from: peer)
        }
        #expect(rig.machine.unasked.count(of: .key("w")) == 2)
        #expect(rig.machine.unasked.accountCount == 1)
    }

    @Test("a program learns that another program of its key has withdrawn what was never asked")
    func withdrawnByKey() throws {
        var rig = DownlinkRig()
        let (first, second) = (try Self.peer("w", 1), try Self.peer("w", 2))
        _ = rig.get(.withdraw(id: id, reason: .origin), from: first)
        let awaited = rig.get(.await(id: id, waitMilliseconds: 0), from: second)
        #expect(awaited == [.send(.withdrawn(id: id), to: second)])
    }

    @Test("what the holder of another key presents counts for that key from then on")
    func moved() throws {
        var rig = DownlinkRig()
        for (number, name) in [(1, "r1"), (2, "r2")] as [(UInt8, NodeName)] {
            let peer = try Self.peer(name, number, isRelay: true)
            _ = rig.get(.hello(name), from: peer)
            _ = rig.get(.present(id, origin: "w", path: ["w", name]), from: peer)
            #expect(rig.machine.openOfAccount == [.key(name): 1])
        }
    }

    @Test("the holders of the former and of the new key of one name are one")
    func replacedKey() throws {
        var limits = LinkLimits()
        limits.statesPerSecondMax = 1
        var rig = DownlinkRig(limits: limits)
        let (former, new) = (try Self.peer("w", 1), try Self.peer("w", 2, of: "1"))
        #expect(former.holder?.key != new.holder?.key)
        #expect(former.holder == new.holder)
        #expect(rig.get(.status, from: former) == [.tellState(to: former)])
        #expect(rig.get(.status, from: new).reject(to: new) == .busy)
    }
}
