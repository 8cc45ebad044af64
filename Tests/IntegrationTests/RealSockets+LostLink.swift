import CZMQ
import ErrorBusTesting
import Foundation
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    @Suite struct LostLinkTests {
        @Test("F2, F34 a link lost with messages still to be read does not end the process")
        func lostInTheMiddle() async throws {
            let reactor = Reactor()
            try reactor.start()
            for round in 0..<30 {
                let path = "/tmp/errorbus-lost-\(getpid())-\(round)"
                let peer = try CutPeer(path: path)
                let child = TestReceiver(reactor)
                // Much comes at once, and its sender is gone while it is being read.
                peer.send(messages: 2_000, frames: 12, of: [1, 2, 3])
                let socket = try await child.connect(Endpoint("ipc://\(path)"))
                _ = try await child.next { $0 == .changed(.disconnected) }
                await child.close(socket)
                #expect(child.events.elements.contains(.changed(.connected)))
                let whole = [Frame](repeating: Frame([1, 2, 3]), count: 12)
                #expect(
                    child.events.elements.allSatisfy {
                        if case .received(let frames) = $0 { frames == whole } else { true }
                    })
            }
            await reactor.shutDown()
        }

        @Test("F2, F22 A lost link whose peer floods and comes back does not hold up the others")
        func comesBack() async throws {
            let reactor = Reactor()
            try reactor.start()
            let good = try RawSocket(ZMQ_DEALER)
            let endpoint = try Endpoint("ipc:///tmp/errorbus-beside-\(getpid())")
            defer { if case .ipc(let path) = endpoint.address { unlink(path) } }
            try good.bind(endpoint)
            let other = TestReceiver(reactor)
            _ = try await other.connect(endpoint)
            _ = try await other.next { $0 == .changed(.connected) }
            let peer = try CutPeer(path: "/tmp/errorbus-back-\(getpid())")
            peer.flood(messages: 2_000_000)
            let child = TestReceiver(reactor, recordsMessages: false)
            let socket = try await child.connect(Endpoint("ipc://\(peer.path)"))
            _ = try await child.next { $0 == .changed(.disconnected) }
            try await good.send([[1]])
            #expect(try await other.next { $0 != .changed(.connected) } == .received([[1]]))
            await child.close(socket)
            #expect(child.events.elements == [.changed(.connected), .changed(.disconnected)])
            await reactor.shutDown()
        }

        @Test("A new connection carries no message that was sent on the one before")
        func nothingStale() async throws {
            let reactor = Reactor()
            try reactor.start()
            let endpoint = try Endpoint("ipc:///tmp/errorbus-stale-\(getpid())")
            defer { if case .ipc(let path) = endpoint.address { unlink(path) } }
            let child = TestReceiver(reactor)
            var peer: RawSocket? = try RawSocket(ZMQ_DEALER)
            try peer?.bind(endpoint)
            let socket = try await child.connect(endpoint)
            _ = try await child.next { $0 == .changed(.connected) }
            #expect(await child.send([[1]], on: socket) == .sent)
            #expect(try await peer?.receive() == [[1]])
            peer = nil
            _ = try await child.next { $0 == .changed(.disconnected) }
            // Taken by libzmq for a connection that is to come.
            _ = await child.send([[2]], on: socket)
            await child.close(socket)
            let later = try RawSocket(ZMQ_DEALER)
            try later.bind(endpoint)
            let again = try await child.connect(endpoint)
            _ = try await child.next { $0 == .changed(.connected) }
            #expect(await child.send([[3]], on: again) == .sent)
            #expect(try await later.receive() == [[3]])
            await reactor.shutDown()
        }
    }
}
