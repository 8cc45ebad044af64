import AsyncHTTPClient
import ErrorBus
import ErrorBusTesting
import Foundation
import Glibc
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Testing

@testable import BusNodeKit

/// A console over TLS, with an authority and certificates of the test's own.
@Suite(.timeLimit(.minutes(10)))
struct ConsoleTLSTests {
    private let authority: TestAuthority
    private let log = RecordedLog()

    init() async throws { authority = try await TestAuthority() }

    private func reason(_ ask: () async throws -> Void) async -> String? {
        do {
            try await ask()
            return nil
        } catch {
            return HTTPExchange.reason(error)
        }
    }

    private func refusal(_ settings: ConsoleTLSSettings) -> String? {
        do throws(Failure) {
            _ = try ConsoleCertificate(settings, logger: .silent)
            return nil
        } catch { return error.text.replacing(authority.folder.path + "/", with: "") }
    }

    @Test("It speaks TLS, keeps the token in a secure cookie, and insists on TLS for a name alone")
    func request() async throws {
        let files = try await authority.certificate()
        try await ServedConsole.run({ $0.tls = files }, logger: log.logger) { console in
            #expect(console.address.isSecure)
            let exchange = try console.exchange("/api/v1/inbox", trusting: authority.file)
            #expect(try await exchange.reply(within: .seconds(300)).status == 200)
            let token = try #require(console.address.token)
            let entered = try await console.exchange(
                "/?token=\(token)", trusting: authority.file, hasToken: false
            ).response()
            #expect(entered.status == .seeOther)
            let cookie = entered.headers.first(name: "Set-Cookie") ?? ""
            let name = "__Host-errorbus-\(console.address.port)"
            #expect(cookie.hasPrefix("\(name)=!!") && cookie.contains("; Secure"))
            #expect(!cookie.contains(token))
            #expect(entered.headers.first(name: "Strict-Transport-Security") == nil)
            var back = try console.exchange(
                "/api/v1/me", trusting: authority.file, hasToken: false)
            back.add("Cookie", try #require(cookie.split(separator: ";").first.map(String.init)))
            #expect(try await back.status(within: .seconds(300)) == 200)
        }
    }

    @Test("A host with a name is kept to TLS")
    func strict() async throws {
        let files = try await authority.certificate()
        let change: (inout ConsoleSettings) -> Void = {
            $0.tls = files
            $0.hosts = ["console.example"]
        }
        try await ServedConsole.run(change, logger: log.logger) { console in
            var exchange = try console.exchange("/api/v1/inbox", trusting: authority.file)
            exchange.add("Host", "console.example")
            let response = try await exchange.response()
            #expect(response.status == .ok)
            let strict = response.headers.first(name: "Strict-Transport-Security")
            #expect(strict == "max-age=31536000")
        }
    }

    @Test("A client that does not trust the authority, or reaches another name, says so")
    func distrust() async throws {
        let files = try await authority.certificate(for: "DNS:console.example")
        let other = try await TestAuthority()
        try await ServedConsole.run({ $0.tls = files }, logger: log.logger) { console in
            func failure(_ ca: String?) async throws -> String {
                let url = "https://127.0.0.1:\(console.address.port)"
                let client = try ConsoleClient(
                    try ConsoleAddress(url, option: "--to"), trusting: ca)
                do {
                    _ = try await client.get("/me")
                    return ""
                } catch let failure as Failure { return failure.text }
            }
            let distrusted = "the certificate is expired, or its authority is not trusted; "
            let none = try await failure(nil)
            #expect(
                none.hasSuffix(
                    distrusted + "give the file of a private authority with --ca FILE or "
                        + "BUS_NODE_CONSOLE_CA"))
            let wrong = try await failure(other.file)
            #expect(
                wrong.hasSuffix(
                    distrusted + "expected a valid one, signed by an authority of \(other.file)"))
            let named = try await failure(authority.file)
            #expect(
                named.hasSuffix(
                    "the certificate is for another host; give --to with a name that is in the "
                        + "certificate"))
            let plain = try ConsoleClient(
                try ConsoleAddress("http://127.0.0.1:\(console.address.port)", option: "--to"))
            let failed = await #expect(throws: Failure.self) { _ = try await plain.get("/me") }
            let text = failed?.text ?? ""
            #expect(text.hasSuffix("; a console with TLS needs https:// in its address"), "\(text)")
            // None of these is worth a line of the node's log.
            #expect(log.lines.elements.isEmpty, "\(log.lines.elements)")
        }
    }

    @Test("A changed certificate counts from the next connection on; a broken one does not")
    func changed() async throws {
        let files = try await authority.certificate()
        let other = try await TestAuthority()
        _ = try await other.certificate("other")
        try await ServedConsole.run({ $0.tls = files }, logger: log.logger) { console in
            func status(_ ca: String) async throws -> Int {
                let exchange = try console.exchange("/api/v1/inbox", trusting: ca)
                return try await exchange.status(within: .seconds(300))
            }
            #expect(try await status(authority.file) == 200)
            try authority.folder.write("half of it", to: "console.pem")
            #expect(try await status(authority.file) == 200)
            #expect(try await status(authority.file) == 200)
            let broken = try await log.lines.next()
            #expect(broken.hasPrefix("warning console: certificate not read again; the former"))
            #expect(broken.contains("found no certificate"))
            for kind in ["pem", "key"] {
                let fresh = try String(
                    contentsOfFile: "\(other.folder.path)/other.\(kind)", encoding: .utf8)
                try PrivateFile.replace(
                    "\(authority.folder.path)/console.\(kind)", fresh, mode: 0o600)
            }
            #expect(try await status(other.file) == 200)
            #expect(try await log.lines.next().hasPrefix("notice console: certificate read again"))
            let former = await reason { _ = try await status(authority.file) }
            #expect(former?.contains("not trusted") == true)
            #expect(log.lines.elements.count == 2)
        }
    }

    @Test("Files that cannot be used are refused with the reason")
    func refused() async throws {
        let files = try await authority.certificate()
        _ = try await authority.certificate("other")
        #expect(refusal(files) == nil)
        let allowed = "the private key of the certificate in PEM form, without a passphrase"
        chmod(files.keyFile, 0o640)
        #expect(
            refusal(files) == "console tls key console.key: found mode 0640, allowed: 0600, and "
                + "this user or root as its owner; chmod 600 sets the mode")
        chmod(files.keyFile, 0o600)
        func mixed(_ certificate: String, _ key: String) -> String? {
            refusal(
                ConsoleTLSSettings(
                    certificateFile: "\(authority.folder.path)/\(certificate)",
                    keyFile: "\(authority.folder.path)/\(key)"))
        }
        #expect(
            mixed("console.pem", "other.key")
                == "console tls key other.key: found the key of another certificate, allowed: "
                + allowed)
        let noKey = try authority.folder.write("-----BEGIN", to: "no.key")
        chmod(noKey, 0o600)
        #expect(
            mixed("console.pem", "no.key")
                == "console tls key no.key: found no such key, allowed: \(allowed)")
        #expect(
            mixed("none.pem", "console.key")
                == "console tls certificate none.pem: cannot be read: No such file or directory, "
                + "allowed: a file of certificates in PEM form")
        #expect(
            mixed("console.key", "console.key")
                == "console tls certificate console.key: found no certificate, allowed: a file of "
                + "certificates in PEM form")
    }

    @Test("TLS 1.2 is the least", arguments: [(TLSVersion.tlsv11, false), (.tlsv12, true)])
    func version(version: TLSVersion, isAccepted: Bool) async throws {
        let files = try await authority.certificate()
        try await ServedConsole.run({ $0.tls = files }, logger: log.logger) { console in
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.minimumTLSVersion = .tlsv1
            tls.maximumTLSVersion = version
            tls.trustRoots = .file(authority.file)
            let context = try NIOSSLContext(configuration: tls)
            let done = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Void.self)
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(
                            try NIOSSLClientHandler(context: context, serverHostname: nil))
                        try pipeline.addHandler(Handshake(done))
                    }
                }
                .connect(host: "127.0.0.1", port: console.address.port).get()
            let isDone = (try? await done.futureResult.get()) != nil
            #expect(isDone == isAccepted)
            try? await channel.close()
        }
    }

    /// Whether a handshake was completed.
    private final class Handshake: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        private let done: EventLoopPromise<Void>

        init(_ done: EventLoopPromise<Void>) { self.done = done }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if "\(event)".contains("handshakeCompleted") { done.succeed() }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { done.fail(error) }
        func channelInactive(context: ChannelHandlerContext) {
            done.fail(ChannelError.inputClosed)
        }
    }

    @Test("A long response arrives whole where the connection is closed after it")
    func long() async throws {
        let files = try await authority.certificate()
        try await ServedConsole.run({ $0.tls = files }, logger: log.logger) { console in
            // The exchange says Connection: close.
            let exchange = try console.exchange("/api/v1/openapi.yaml", trusting: authority.file)
            let reply = try await exchange.reply(within: .seconds(300))
            #expect(reply.body == ConsolePage.interfaceBytes)
        }
    }
}
