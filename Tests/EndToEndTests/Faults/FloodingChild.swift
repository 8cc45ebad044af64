import Foundation
import Glibc

/// A child that keeps no limit: a connection that speaks ZMTP 3.1 and EB1 by itself, so that what
/// is sent when, and how it leaves, is the test's choice.
final class FloodingChild {
    struct Failed: Error {
        let operation: String
        let number: Int32
    }

    private let descriptor: CInt
    private let hello: [UInt8]

    /// Connects, shakes hands and says HELLO.
    init(to endpoint: String, name: String) throws {
        descriptor = try Self.connect(to: endpoint)
        hello = Self.message(
            "HELLO", "from: \(name)\nboot: 00c0ffee12345678\nversions: EB1\n", "")
        // The greeting: signature, version 3.1, mechanism, a client's role.
        var greeting: [UInt8] = [0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 3, 1]
        greeting += Array("NULL".utf8)
        greeting += Array(repeating: 0, count: 64 - greeting.count)
        try write(greeting)
        let role = "\u{B}Socket-Type\0\0\0\u{6}DEALER\u{8}Identity\0\0\0\0"
        try write(Self.command("READY", Array(role.utf8)))
        try read(until: "READY")
        try write(hello)
        try read(until: "WELCOME")
    }

    deinit { close(descriptor) }

    /// Sends so many presentations, each 16th followed by a PING of the transport, and returns
    /// when at least `least` are taken from the connection, which the PONGs show: on return the
    /// rest waits in the receive queue, or in front of it.
    func flood(_ count: Int, untilTaken least: Int) throws {
        var bytes: [UInt8] = []
        for number in 0..<count {
            let id = "01890a5d-ac96-774b-bcce-" + String(format: "%012x", number)
            let header = "id: \(id)\nattempt: 1\norigin: flood\npath: flood\n"
            let report = #"{"domain":"flood","description":"Too much."}"#
            bytes += Self.message("PRESENT", header, report)
            if number % 16 == 15 { bytes += Self.command("PING", [0, 0]) }
        }
        try write(bytes)
        var pongs = 0
        while pongs < least / 16, isReady(for: POLLIN, withinMilliseconds: 2_000) {
            let replies = String(decoding: try receive(), as: UTF8.self)
            pongs += replies.components(separatedBy: "\u{4}PONG").count - 1
        }
    }

    /// Leaves, sends ten messages without sense, and comes back, so many times. Each of those is a
    /// line in the log at level `debug`.
    func comeAndGo(_ count: Int) throws {
        let bye = Self.message("BYE", "reason: bored\n", "")
        let nonsense = (0..<10).flatMap { _ in Self.message("NONSENSE", "", "") }
        for _ in 0..<count {
            try write(bye + nonsense + hello)
            try read(until: "WELCOME")
        }
    }

    /// All of it, or as much as is taken.
    private func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                guard isReady(for: POLLOUT, withinMilliseconds: 300) else { return }
            } else if errno != EINTR {
                throw Failed(operation: "send", number: errno)
            }
        }
    }

    private func read(until word: String) throws {
        var text = ""
        while !text.contains(word) {
            guard isReady(for: POLLIN, withinMilliseconds: 10_000) else {
                throw Failed(operation: "wait for \(word)", number: ETIMEDOUT)
            }
            text += String(decoding: try receive(), as: UTF8.self)
        }
    }

    private func receive() throws -> ArraySlice<UInt8> {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else {
            throw Failed(operation: "receive", number: count == 0 ? ECONNRESET : errno)
        }
        return buffer.prefix(count)
    }

    private func isReady(for events: Int32, withinMilliseconds limit: Int32) -> Bool {
        var item = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return poll(&item, 1, limit) > 0
    }

    private static func command(_ name: String, _ body: [UInt8]) -> [UInt8] {
        let content = [UInt8(name.utf8.count)] + name.utf8 + body
        return [4, UInt8(content.count)] + content
    }

    /// An EB1 message with the empty frame in front, each frame shorter than 256 bytes.
    private static func message(_ verb: String, _ header: String, _ payload: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for frame in ["", "EB1", verb, header] {
            bytes += [1, UInt8(frame.utf8.count)]
            bytes += Array(frame.utf8)
        }
        return bytes + [0, UInt8(payload.utf8.count)] + Array(payload.utf8)
    }

    private static func connect(to endpoint: String) throws -> CInt {
        let isLocal = endpoint.hasPrefix("ipc://")
        let family = isLocal ? AF_UNIX : AF_INET
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failed(operation: "socket", number: errno) }
        let status = isLocal ? connectLocal(descriptor, endpoint) : connectTCP(descriptor, endpoint)
        guard status == 0 else {
            defer { close(descriptor) }
            throw Failed(operation: "connect", number: errno)
        }
        return descriptor
    }

    private static func connectLocal(_ descriptor: CInt, _ endpoint: String) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { buffer in
            buffer.copyBytes(from: endpoint.dropFirst("ipc://".count).utf8.prefix(107))
        }
        return connect(descriptor, &address)
    }

    private static func connectTCP(_ descriptor: CInt, _ endpoint: String) -> CInt {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = (UInt16(endpoint.split(separator: ":").last ?? "") ?? 0).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return connect(descriptor, &address)
    }

    private static func connect<Address>(_ descriptor: CInt, _ address: inout Address) -> CInt {
        withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                Glibc.connect(descriptor, $0.baseAddress, socklen_t(bytes.count))
            }
        }
    }
}
