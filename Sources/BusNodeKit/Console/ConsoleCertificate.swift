import ErrorBus
import Foundation
import Logging
import NIOSSL

/// The certificate of a console with TLS, and its private key. New connections get the certificate
/// and key of the files as they are now, as long as these can be used.
final class ConsoleCertificate: Sendable {
    /// The refusal of a file.
    struct Refusal: Error {
        /// The key of the file in the topology.
        let key: String
        let file: String
        let refusal: FileRefusal
    }

    private static let keyByteCountMax = 64 * 1024
    private static let keyAllowed =
        "the private key of the certificate in PEM form, without a passphrase"

    private let followed: FollowedFiles<NIOSSLContext>

    /// - Throws: When a file is missing or invalid, when others can read the key, or when the key
    ///   does not belong to the certificate.
    init(_ settings: ConsoleTLSSettings, logger: Logger) throws(Failure) {
        let words = FollowedFiles<NIOSSLContext>.Words(
            success: "console: certificate read again",
            failure: "console: certificate not read again; the former one stays in use")
        followed = try FollowedFiles(
            [settings.certificateFile, settings.keyFile], words, logger: logger
        ) { () throws(Failure) in
            do throws(Refusal) {
                let context = try Self.read(settings)
                Self.warnIfExpired(context, of: settings.certificateFile, logger)
                return context
            } catch {
                throw Failure(
                    error.refusal.status,
                    "console tls \(error.key) \(error.file.shown()): \(error.refusal.text)")
            }
        }
    }

    /// The TLS settings of a new connection.
    var context: NIOSSLContext { followed.latest }

    /// Warns of an expired certificate: clients refuse it, and show that only to their own users.
    private static func warnIfExpired(
        _ context: NIOSSLContext, of file: String, _ logger: Logger
    ) {
        guard case .certificate(let first)? = context.configuration.certificateChain.first else {
            return
        }
        let end = Date(timeIntervalSince1970: TimeInterval(first.notValidAfter))
        guard end < Date() else { return }
        logger.warning(
            "console: the certificate has expired: clients refuse it; renew the file",
            metadata: ["file": "\(file)", "since": "\(end.formatted(TimeText.style))"])
    }

    static func read(_ settings: ConsoleTLSSettings) throws(Refusal) -> NIOSSLContext {
        let chain = try reading("certificate", settings.certificateFile) {
            file throws(FileRefusal) in try Authorities(reading: file).certificates
        }
        return try reading("key", settings.keyFile) { file throws(FileRefusal) in
            let text = try PrivateFile.text(of: file, byteCountMax: keyByteCountMax)
            guard let key = try? NIOSSLPrivateKey(bytes: Array(text.utf8), format: .pem) else {
                throw FileRefusal(
                    status: .badConfiguration, found: "no such key", allowed: keyAllowed)
            }
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
            tls.minimumTLSVersion = .tlsv12
            tls.applicationProtocols = ["http/1.1"]
            tls.shutdownTimeout = ConsoleLimits.farewellTime
            guard let context = try? NIOSSLContext(configuration: tls) else {
                throw FileRefusal(
                    status: .badConfiguration, found: "the key of another certificate",
                    allowed: keyAllowed)
            }
            return context
        }
    }

    private static func reading<Value>(
        _ key: String, _ file: String, _ read: (String) throws(FileRefusal) -> Value
    ) throws(Refusal) -> Value {
        do throws(FileRefusal) { return try read(file) } catch {
            throw Refusal(key: key, file: file, refusal: error)
        }
    }
}
