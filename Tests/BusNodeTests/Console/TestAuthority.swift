import ErrorBus
import Foundation

@testable import BusNodeKit

/// An authority of one test and the certificates that it signs, made by openssl.
struct TestAuthority {
    private static let newKey = [
        "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
    ]

    let folder: TemporaryFolder
    /// The file that a client trusts.
    var file: String { "\(folder.path)/ca.pem" }

    init() async throws {
        folder = try TemporaryFolder()
        try await openssl(
            ["req", "-x509", "-subj", "/CN=Test authority"] + Self.newKey
                + ["-keyout", "ca.key", "-out", "ca.pem"])
    }

    /// A certificate for `localhost`, `127.0.0.1` and nothing else, and its key, whose files are
    /// named so.
    func certificate(
        _ name: String = "console", for names: String = "IP:127.0.0.1,DNS:localhost"
    ) async throws -> ConsoleTLSSettings {
        try await openssl(
            ["req", "-x509", "-CA", "ca.pem", "-CAkey", "ca.key", "-subj", "/CN=\(name)"]
                + Self.newKey
                + [
                    "-addext", "subjectAltName=\(names)", "-addext", "basicConstraints=CA:FALSE",
                    "-keyout", "\(name).key", "-out", "\(name).pem",
                ])
        return files(name)
    }

    func files(_ name: String) -> ConsoleTLSSettings {
        ConsoleTLSSettings(
            certificateFile: "\(folder.path)/\(name).pem", keyFile: "\(folder.path)/\(name).key")
    }

    /// Puts other files in the place of a certificate and its key.
    func replace(_ name: String, by other: String) throws {
        for kind in ["key", "pem"] {
            let data = try Data(contentsOf: URL(filePath: "\(folder.path)/\(other).\(kind)"))
            try PrivateFile.replace(
                "\(folder.path)/\(name).\(kind)", String(decoding: data, as: UTF8.self),
                mode: 0o600)
        }
    }

    private func openssl(_ arguments: [String]) async throws {
        let result = try await SubprocessRunner(folder: folder.path).run(
            ["openssl"] + arguments, environment: [:], input: [], timeLimit: .seconds(300))
        guard result.status == .exited(0) else {
            throw Failure(.software, "openssl: \(result.standardErrorTail)")
        }
    }
}
