/// A key file, in the form of ZeroMQ's certificates (ZPL, RFC 4): `NAME.key` with the public key,
/// and `NAME.key_secret` with both keys. Tools of other languages, such as
/// `zmq.auth.load_certificate` of pyzmq, read and write this form.
package struct KeyCertificate: Sendable {
    package static let publicSuffix = ".key"
    package static let secretSuffix = ".key_secret"

    package let publicKey: PublicKey
    /// The key pair; nil in a public file.
    package let pair: KeyPair?
    /// The key that proves the answers which the node signs; nil in a file of a version that signed
    /// none.
    package let signerKey: SignerKey?
    /// The former key of the name, in a public file, while its pair is replaced.
    package let formerKey: PublicKey?
    package let formerSignerKey: SignerKey?

    /// The certificate of a new pair.
    ///
    /// - Parameter former: The certificate that the new one replaces.
    package init(_ pair: KeyPair, replacing former: KeyCertificate? = nil) {
        (publicKey, self.pair) = (pair.publicKey, pair)
        signerKey = SigningKey(of: pair)?.signerKey
        (formerKey, formerSignerKey) = (former?.publicKey, former?.signerKey)
    }

    /// The certificate of a public file, without its former keys.
    package init(retiringFormerOf certificate: KeyCertificate) {
        (publicKey, signerKey) = (certificate.publicKey, certificate.signerKey)
        (pair, formerKey, formerSignerKey) = (nil, nil, nil)
    }

    /// The certificate of a public file, with the signing key of its pair.
    package init(_ certificate: KeyCertificate, signingAs pair: KeyPair) {
        (publicKey, self.pair) = (certificate.publicKey, nil)
        signerKey = SigningKey(of: pair)?.signerKey
        (formerKey, formerSignerKey) = (certificate.formerKey, certificate.formerSignerKey)
    }

    /// The reason why a file is not a certificate.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    package init(text: String) throws(Problem) {
        var values: [Substring: Substring] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.drop { $0 == " " || $0 == "\t" }
            guard !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") else { continue }
            let key = Self.trimmed(line[..<equals])
            let value = Self.trimmed(line[line.index(after: equals)...])
            guard value.count >= 2, value.first == "\"", value.last == "\"" else { continue }
            values[key] = value.dropFirst().dropLast()
        }
        guard let found = values["public-key"] else {
            throw Problem(
                description: "found no public-key = \"...\", as bus-node keygen writes it")
        }
        guard let key = PublicKey(found) else {
            throw Problem(description: "public-key is not \(PublicKey.allowed)")
        }
        formerKey = try values["former-key"].map { text throws(Problem) in
            guard let former = PublicKey(text), former != key else {
                throw Problem(
                    description: "former-key is not another key of \(PublicKey.allowed)")
            }
            return former
        }
        func signer(_ name: Substring) throws(Problem) -> SignerKey? {
            try values[name].map { text throws(Problem) in
                guard let key = SignerKey(text) else {
                    throw Problem(description: "\(name) is not \(SignerKey.allowed)")
                }
                return key
            }
        }
        (signerKey, formerSignerKey) = (
            try signer("signing-key"), try signer("former-signing-key")
        )
        guard let secret = values["secret-key"] else {
            (publicKey, pair) = (key, nil)
            return
        }
        guard let pair = KeyPair(secret: secret) else {
            throw Problem(description: "secret-key is not \(PublicKey.allowed)")
        }
        guard pair.publicKey == key else {
            throw Problem(description: "secret-key and public-key are not of one pair")
        }
        (publicKey, self.pair) = (key, pair)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" || last == "\r" {
            text.removeLast()
        }
        return text
    }

    package var publicText: String {
        let lines = [
            ("public-key", publicKey.description), ("signing-key", signerKey?.description),
            ("former-key", formerKey?.description),
            ("former-signing-key", formerSignerKey?.description),
        ]
        return "# The public keys of a node. Every node that it talks to has this file.\n"
            + "metadata\ncurve\n"
            + lines.compactMap { name, key in key.map { "    \(name) = \"\($0)\"\n" } }.joined()
    }

    /// The text of the secret file; nil without the secret key.
    package var secretText: String? {
        pair.map {
            "# The secret CURVE key of a node. Only this node has this file, with mode 0600.\n"
                + "metadata\ncurve\n    public-key = \"\($0.publicKey)\"\n"
                + "    secret-key = \"\($0.secret)\"\n"
        }
    }
}
