@testable import ErrorBus
@testable import ErrorBusCore

/// What a client of a node with keys does in place of a handshake, after which the node ends the
/// connection.
enum BrokenHandshake: CaseIterable {
    /// Another protocol.
    case webRequest
    /// The mechanism of a peer without keys.
    case withoutKeys
    /// Half a HELLO, in a frame that says so.
    case truncatedHello
    /// A HELLO whose signature box was changed.
    case wrongSignatureBox
    /// A HELLO to another server's key.
    case anotherServer
    case messageBeforeHello
    /// The INITIATE of another connection, which the node let pass there.
    case replayedInitiate
    /// A vouch that another key is this connection's.
    case vouchForAnother
    /// A known key, without its secret half.
    case withoutSecret
    /// More metadata than a frame may hold.
    case tooMuchMetadata
    /// A message without a cipher in INITIATE's place, and one with it.
    case messageBeforeInitiate, cipherBeforeInitiate
    /// A message right behind INITIATE, of a key that is not known.
    case messageBeforeReady

    /// Whether it is committed with a key that the node knows: then nothing else is wrong.
    var isKnown: Bool { self != .messageBeforeReady }

    /// - Parameter initiate: One that passed.
    func commit(on peer: inout CurveConnection, initiate: [UInt8]) throws {
        switch self {
        case .webRequest: try peer.write(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        case .withoutKeys:
            var greeting = CurveHandshake.greeting
            greeting.replaceSubrange(12..<17, with: Array("NULL\0".utf8))
            try peer.write(greeting)
        case .truncatedHello, .wrongSignatureBox, .anotherServer, .messageBeforeHello:
            try peer.greet()
            try peer.write(hello(on: &peer.handshake))
        default:
            try peer.sayHello()
            // More than a frame may hold is cut off while it is being sent.
            do { try peer.write(third(on: &peer.handshake, initiate)) } catch {
                guard self == .tooMuchMetadata else { throw error }
            }
        }
    }

    private func hello(on handshake: inout CurveHandshake) -> [UInt8] {
        var body = handshake.hello()
        switch self {
        case .truncatedHello: body.removeLast(body.count / 2)
        case .wrongSignatureBox: body[body.count - 1] ^= 1
        case .anotherServer:
            var other = CurveHandshake(server: CurveHandshake.Pair().publicKey, own: handshake.own)
            body = other.hello()
        default: return CurveHandshake.plainMessage([1, 2, 3])
        }
        return CurveHandshake.command("HELLO", body)
    }

    private func third(on handshake: inout CurveHandshake, _ initiate: [UInt8]) -> [UInt8] {
        let body: [UInt8]
        switch self {
        case .replayedInitiate: return initiate
        case .messageBeforeInitiate: return CurveHandshake.plainMessage([1, 2, 3])
        case .cipherBeforeInitiate: return handshake.message([[], Frame("EB1".utf8)])
        case .vouchForAnother:
            body = handshake.initiate(
                vouch: handshake.vouch(for: CurveHandshake.Pair().publicKey))
        case .withoutSecret:
            handshake.own.secretKey = CurveHandshake.Pair().secretKey
            body = handshake.initiate()
        case .tooMuchMetadata:
            let byteCount = 4 * WireLimits.standard.payloadByteCountMax
            body = handshake.initiate(
                metadata: CurveHandshake.metadata()
                    + CurveHandshake.property("X-Much", [UInt8](repeating: 0, count: byteCount)))
        default:
            return CurveHandshake.command("INITIATE", handshake.initiate())
                + handshake.message([[]] + Message.status.frames)
        }
        return CurveHandshake.command("INITIATE", body)
    }
}

/// Where a client of a node with keys stops in the middle of the handshake.
enum StoppedHandshake: CaseIterable {
    case connected, inGreeting, greeted, inHello, welcomed, inInitiate

    func stop(on peer: inout CurveConnection) throws {
        switch self {
        case .connected: break
        case .inGreeting: try peer.write(Array(CurveHandshake.greeting.prefix(20)))
        case .greeted: try peer.greet()
        case .inHello:
            try peer.greet()
            try peer.write(
                Array(CurveHandshake.command("HELLO", peer.handshake.hello()).prefix(50)))
        case .welcomed: try peer.sayHello()
        case .inInitiate:
            try peer.sayHello()
            let initiate = CurveHandshake.command("INITIATE", peer.handshake.initiate())
            try peer.write(Array(initiate.prefix(150)))
        }
    }
}
