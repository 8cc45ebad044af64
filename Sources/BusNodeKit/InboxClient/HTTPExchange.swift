import AsyncHTTPClient
import ErrorBus
import Foundation
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// One request and its reply, over its own connection. Redirects are not followed.
struct HTTPExchange: Sendable {
    struct Reply: Sendable {
        let status: Int
        let body: [UInt8]
    }

    /// The beginning of a reply.
    struct Head: Sendable {
        let status: Int
        /// The pause before the next request, as far as the server asks for one in seconds.
        let pause: Duration?

        init(_ response: HTTPClientResponse) {
            status = Int(response.status.code)
            pause = response.headers.first(name: "Retry-After")
                .flatMap { UInt32($0) }.map { Duration.seconds($0) }
        }
    }

    /// The largest reply accepted: a list of some ten thousand presentations.
    static let bodyByteMax = 64 * 1024 * 1024
    private static let connectTime = TimeAmount.seconds(5)

    /// The client, which lives as long as the process.
    private static let client = {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls(), redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: connectTime))
        configuration.httpVersion = .http1Only
        // Callers try again by themselves, and want the reason at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Callers have limits of their own.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_024
        return HTTPClient(
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
    }()

    private var request: HTTPClientRequest

    init(
        _ method: HTTPMethod, _ url: String, body: [UInt8]? = nil,
        contentType: String = "application/json"
    ) {
        request = HTTPClientRequest(url: url)
        request.method = method
        add("Connection", "close")
        if let body {
            add("Content-Type", contentType)
            request.body = .bytes(body)
        }
    }

    mutating func add(_ header: String, _ value: String) {
        request.headers.add(name: header, value: value)
    }

    /// Trusts these authorities, and none of the system's.
    mutating func trust(_ authorities: Authorities) {
        request.tlsConfiguration = Self.tls(.certificates(authorities.certificates))
    }

    private static func tls(_ roots: NIOSSLTrustRoots = .default) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.trustRoots = roots
        return tls
    }

    /// The reply, whose body is read as it comes.
    ///
    /// - Throws: When no server listens there.
    func response() async throws -> HTTPClientResponse {
        try await Self.client.execute(request, deadline: .distantFuture)
    }

    /// The whole reply.
    ///
    /// - Throws: When no server listens there, or the reply is not complete in time.
    func reply(
        within limit: Duration, upTo byteCountMax: Int = Self.bodyByteMax
    ) async throws -> Reply {
        try await Self.within(limit) {
            let response = try await response()
            let body = try await response.body.collect(upTo: byteCountMax)
            return Reply(status: Int(response.status.code), body: Array(body.readableBytesView))
        }
    }

    /// The beginning of the reply, of which nothing more is read.
    ///
    /// - Throws: When no server listens there, or it does not reply in time.
    func head(within limit: Duration) async throws -> Head {
        try await Self.within(limit) { Head(try await response()) }
    }

    /// The status of the reply, as that of ``head(within:)``.
    func status(within limit: Duration) async throws -> Int {
        try await head(within: limit).status
    }

    private static func within<Value: Sendable>(
        _ limit: Duration, _ ask: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await ask() }
            group.addTask {
                try await ContinuousClock().sleepInSteps(for: limit)
                throw Problem.tooLate
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw Problem.cut }
            return value
        }
    }

    private enum Problem: Error {
        case tooLate
        case cut
    }

    // MARK: Reasons

    /// A problem with the TLS of a server that a client can solve.
    enum TLSProblem {
        case untrusted
        case anotherHost
        case absent

        init?(_ error: any Error) {
            switch error {
            case NIOSSLError.handshakeFailed(.sslError(let stack)):
                switch HTTPExchange.code(stack) {
                case "CERTIFICATE_VERIFY_FAILED": self = .untrusted
                case "WRONG_VERSION_NUMBER": self = .absent
                default: return nil
                }
            case let error as NIOSSLExtraError where error == .failedToValidateHostname:
                self = .anotherHost
            default: return nil
            }
        }
    }

    /// The reason why an exchange failed, for people.
    static func reason(_ error: any Error) -> String {
        switch TLSProblem(error) {
        case .untrusted: return "the certificate is expired, or its authority is not trusted"
        case .anotherHost: return "the certificate is for another host"
        case .absent: return "no TLS there: an http URL may be meant"
        case nil: break
        }
        return switch error {
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { reason($0.error) } ?? "no such host"
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case let error as HTTPClientError: reason(error)
        case NIOSSLError.handshakeFailed(.sslError(let stack)): reason(stack)
        case let error as NIOTooManyBytesError:
            "a reply of more than \(error.maxBytes ?? bodyByteMax) bytes"
        case Problem.tooLate: "no reply in time"
        case Problem.cut, HTTPParserError.invalidEOFState:
            "the connection ended before the reply did"
        case is HTTPParserError: "no HTTP there"
        default: "\(error)"
        }
    }

    /// Whether a server sent no HTTP, or nothing, as a server with TLS does.
    static func isNoHTTP(_ error: any Error) -> Bool {
        error is HTTPParserError || error as? HTTPClientError == .remoteConnectionClosed
    }

    /// Whether no process listens at the address.
    static func isRefused(_ error: any Error) -> Bool {
        switch error {
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { isRefused($0.error) } ?? false
        case let error as IOError: error.errnoCode == ECONNREFUSED
        default: false
        }
    }

    private static func reason(_ error: HTTPClientError) -> String {
        switch error {
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
            "no connection within \(connectTime.nanoseconds / 1_000_000_000) s"
        case .remoteConnectionClosed: reason(Problem.cut)
        default: error.shortDescription
        }
    }

    private static func reason(_ stack: NIOBoringSSLErrorStack) -> String {
        "TLS failed: \(code(stack).map { String($0) } ?? stack.first?.description ?? "")"
    }

    private static func code(_ stack: NIOBoringSSLErrorStack) -> Substring? {
        stack.first?.description.firstMatch(of: /OPENSSL_internal:(\w+)/)?.1
    }
}

extension HTTPExchange {
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    /// The text of fields as a query, or as the body of a form.
    static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\($0.0)=\(escaped($0.1))" }.joined(separator: "&")
    }

    /// A text as a form and a query have it.
    static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}

/// The authorities of a file, which may sign the certificates of a receiver.
struct Authorities: Sendable {
    private static let allowed = "a file of certificates in PEM form"

    let certificates: [NIOSSLCertificate]

    init(reading file: String) throws(FileRefusal) {
        let bytes: [UInt8]
        do throws(ConfigurationFailure) {
            bytes = try ConfigurationFile.read(file)
        } catch {
            let found =
                switch error {
                case .unreadable(_, let reason): reason
                case .invalid(let problems, _): problems.first?.found ?? ""
                }
            throw FileRefusal(status: error.exitStatus, found: found, allowed: Self.allowed)
        }
        certificates = (try? NIOSSLCertificate.fromPEMBytes(bytes)) ?? []
        guard !certificates.isEmpty else {
            throw FileRefusal(
                status: .badConfiguration, found: "no certificate", allowed: Self.allowed)
        }
    }
}
