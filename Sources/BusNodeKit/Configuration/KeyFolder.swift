package import ErrorBus
import Foundation
import Glibc

/// The folder of a topology's keys: `NAME.key` of every node and client, which every machine has,
/// and `NAME.key_secret`, which only the machine of NAME has.
package struct KeyFolder {
    /// The key of commands that run on a person's machine.
    package static let clientName: NodeName = "client"
    private static let certificateByteCountMax = 4_096
    private static let fileCountMax = 10_000

    package let path: String

    package init(_ path: String) { self.path = path }

    /// The keys of one node or client; nil when the topology has none.
    package static func ring(of name: NodeName, in topology: Topology) throws(Failure) -> KeyRing? {
        guard let path = topology.keys else { return nil }
        return KeyRing(try KeyFolder(path).keys(of: name, in: topology))
    }

    /// - Throws: When a file is missing, can be read by others, or is no key.
    package func keys(of name: NodeName, in topology: Topology) throws(Failure) -> LinkKeys {
        let found = try publicKeys()
        var keys = LinkKeys(
            own: try pair(of: name, among: found), known: [:], parents: topology.namesOfEndpoints)
        (keys.known, keys.former) = (found.known, found.former)
        keys.signers = try signers(of: topology, among: found.signers)
        keys.signsAs = topology.signers.contains(name) ? name : nil
        keys.relays = Set(topology.settings.filter { !$0.listen.isEmpty }.map(\.name))
        keys.places = topology.places(at: name)
        // Commands anywhere have this key, also if a node has its name.
        keys.places[Self.clientName]? = .anywhere
        return keys
    }

    /// The pair of a name, whose public key is among those of the folder.
    func pair(of name: NodeName, among found: PublicKeys) throws(Failure) -> KeyPair {
        let pair = try pair(of: name)
        // Until a new pair has come to its machine a node uses the former one.
        guard [found.known[name], found.former[name]].contains(pair.publicKey) else {
            let problem =
                found.known[name] == nil ? "is missing" : "is not the public key of that pair"
            throw Failure(
                .badConfiguration,
                "key \(secretFile(of: name).shown()): \(publicFile(of: name).shown()) \(problem); "
                    + "copy both files from the machine where they were made")
        }
        return pair
    }

    /// The signing keys of a topology's signers.
    func signers(
        of topology: Topology, among found: [NodeName: [SignerKey]]
    ) throws(Failure) -> [NodeName: [SignerKey]] {
        if let signer = topology.signers.first(where: { found[$0] == nil }) {
            throw Failure(
                .badConfiguration,
                "key \(publicFile(of: signer)): found no signing-key of the signer \(signer); run "
                    + "bus-node keygen where its secret file is, and copy the public file here")
        }
        return found.filter { topology.signers.contains($0.key) }
    }

    package func publicFile(of name: NodeName) -> String {
        FilePath.resolve("\(name)\(KeyCertificate.publicSuffix)", in: path)
    }

    package func secretFile(of name: NodeName) -> String {
        FilePath.resolve("\(name)\(KeyCertificate.secretSuffix)", in: path)
    }

    /// The pair in a secret file, which only its owner may read.
    package func pair(of name: NodeName) throws(Failure) -> KeyPair {
        let file = secretFile(of: name)
        let text: String
        do throws(FileRefusal) {
            text = try PrivateFile.text(of: file, byteCountMax: Self.certificateByteCountMax)
        } catch {
            throw Failure(
                error.status,
                "key \(file.shown()): \(error.text)" + (error.isMissing ? Self.remedy : ""))
        }
        guard let pair = try certificate(text, file).pair else {
            throw Failure(.badConfiguration, "key \(file.shown()): found no secret-key")
        }
        return pair
    }

    /// What to do about a missing file.
    static let remedy =
        "; bus-node keygen makes it (that of a further client with --name), or copy it from the "
        + "machine where it was made"

    /// The public keys, the former keys, and those of signers, by name.
    package typealias PublicKeys = (
        known: [NodeName: PublicKey], former: [NodeName: PublicKey],
        signers: [NodeName: [SignerKey]]
    )

    /// The keys in the public files of the folder.
    ///
    /// - Throws: When the folder or a file of it cannot be used, or two names have one key.
    package func publicKeys() throws(Failure) -> PublicKeys {
        do throws(FileRefusal) { try PrivateFile.checkFolder(path) } catch {
            throw Failure(
                error.status,
                "keys \(path.shown()): \(error.text)"
                    + (error.isMissing ? "; bus-node keygen makes the folder" : ""))
        }
        var known: [NodeName: PublicKey] = [:]
        var former: [NodeName: PublicKey] = [:]
        var signers: [NodeName: [SignerKey]] = [:]
        var holders: [PublicKey: NodeName] = [:]
        for name in try names() {
            guard known.count < Self.fileCountMax else {
                throw Failure(
                    .badConfiguration, "keys \(path.shown()): more than \(Self.fileCountMax) keys")
            }
            let found = try publicCertificate(of: name)
            (known[name], former[name]) = (found.publicKey, found.formerKey)
            if let key = found.signerKey {
                signers[name] = [key] + [found.formerSignerKey].compactMap(\.self)
            }
            for key in [found.publicKey, found.formerKey].compactMap(\.self) {
                guard let other = holders.updateValue(name, forKey: key) else { continue }
                throw Failure(
                    .badConfiguration,
                    "keys \(path.shown()): \(other) and \(name) have the same key")
            }
        }
        return (known, former, signers)
    }

    /// Removes the keys that their own public files no longer have, though another file of the
    /// folder cannot be used. A file that cannot be used says nothing of its keys.
    func dropRemoved(from keys: inout LinkKeys) throws(Failure) {
        let names = Set(try self.names())
        for name in Set(keys.known.keys).union(keys.signers.keys) {
            guard names.contains(name) else {
                keys.known[name] = nil
                keys.former[name] = nil
                keys.signers[name] = nil
                continue
            }
            guard let found = try? publicCertificate(of: name) else { continue }
            let accepted = [found.publicKey, found.formerKey]
            if !accepted.contains(keys.known[name]) { keys.known[name] = nil }
            if !accepted.contains(keys.former[name]) { keys.former[name] = nil }
            let signers = [found.signerKey, found.formerSignerKey]
            keys.signers[name]?.removeAll { !signers.contains($0) }
        }
    }

    /// The names that have a public file.
    package func names() throws(Failure) -> [NodeName] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
                .filter { $0.hasSuffix(KeyCertificate.publicSuffix) }
                .compactMap { NodeName($0.dropLast(KeyCertificate.publicSuffix.count)) }
        } catch {
            throw Failure(.noInput, "keys \(path.shown()): the folder cannot be read")
        }
    }

    private func publicCertificate(of name: NodeName) throws(Failure) -> KeyCertificate {
        let file = publicFile(of: name)
        let text: String
        do throws(FileRefusal) {
            text = try PrivateFile.text(
                of: file, byteCountMax: Self.certificateByteCountMax, isSecret: false)
        } catch {
            throw Failure(error.status, "key \(file.shown()): \(error.text)")
        }
        let found = try certificate(text, file)
        // Every user may read the file, and every machine has it.
        guard found.pair == nil else {
            throw Failure(
                .badConfiguration,
                "key \(file.shown()): found a secret-key, which other users and machines may have "
                    + "read; delete the file, and make another pair with --replace \(name)")
        }
        return found
    }

    private func certificate(_ text: String, _ file: String) throws(Failure) -> KeyCertificate {
        do throws(KeyCertificate.Problem) { return try KeyCertificate(text: text) } catch {
            throw Failure(.badConfiguration, "key \(file.shown()): \(error)")
        }
    }

    // MARK: Making keys

    /// Refuses a name to replace that has no pair and is to get none: a mistyped one would be
    /// another key that every node accepts.
    ///
    /// - Parameter clients: The names whose pairs are made in any case.
    package func checkReplaced(
        _ names: [NodeName], in topology: Topology, making clients: [NodeName]
    ) throws(Failure) {
        let made = topology.settings.map(\.name) + [Self.clientName] + clients
        for name in names where !made.contains(name) && !hasFile(of: name) {
            let others = ((try? self.names()) ?? []).filter { !made.contains($0) }
            let pairs = (made + others).map(\.description).joined(separator: ", ")
            throw Failure(
                .usage,
                "--replace: found \"\(name)\", which has no pair in \(path.shown()); pairs: "
                    + "\(pairs); for a new client give --name \(name)")
        }
    }

    private func hasFile(of name: NodeName) -> Bool {
        FileStatus(publicFile(of: name)) != nil || FileStatus(secretFile(of: name)) != nil
    }

    /// The result of ``make(_:)``, in a word for people.
    package enum Making: String {
        case made, kept
        /// The public file of an earlier version got its signing key.
        case completed
    }

    /// Makes the folder and the pair of a name. A pair that is there stays.
    ///
    /// - Throws: Also if the name has only the secret file: the public file may have been deleted
    ///   to revoke the key.
    package func make(_ name: NodeName) throws(Failure) -> Making {
        try makeFolder()
        let (secretFile, publicFile) = (secretFile(of: name), publicFile(of: name))
        guard FileStatus(publicFile) == nil else { return try complete(name) }
        guard FileStatus(secretFile) == nil else {
            throw Failure(
                .badConfiguration,
                "key \(publicFile.shown()): found the secret file alone; copy the public file "
                    + "here, or make another pair with --replace \(name)")
        }
        let (secret, publicText) = try texts(replacing: nil)
        try write(secretFile) { () throws(FileRefusal) in
            try PrivateFile.create(secretFile, secret, mode: 0o600)
        }
        try write(publicFile) { () throws(FileRefusal) in
            try PrivateFile.create(publicFile, publicText, mode: 0o644)
        }
        return .made
    }

    private func makeFolder() throws(Failure) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw Failure(
            .cannotCreate, "keys \(path.shown()): \(String(cString: strerror(errno)))")
    }

    /// Adds the signing key to a public file that lacks it, if the pair is here.
    private func complete(_ name: NodeName) throws(Failure) -> Making {
        guard FileStatus(secretFile(of: name)) != nil else { return .kept }
        let (pair, found) = (try pair(of: name), try publicCertificate(of: name))
        guard found.signerKey == nil, found.publicKey == pair.publicKey else { return .kept }
        let file = publicFile(of: name)
        try write(file) { () throws(FileRefusal) in
            try PrivateFile.replace(
                file, KeyCertificate(found, signingAs: pair).publicText, mode: 0o644)
        }
        return .completed
    }

    /// Makes another pair for a name, and the folder. The public file keeps the key of the former
    /// pair, which nodes accept as well until it is retired; not if the public file was deleted to
    /// revoke the key.
    package func replace(_ name: NodeName) throws(Failure) {
        try makeFolder()
        let isKnown = FileStatus(publicFile(of: name)) != nil
        // So that signatures of the former pair count, too. A damaged pair can still be replaced.
        if isKnown { _ = try? complete(name) }
        let found = isKnown ? try publicCertificate(of: name) : nil
        guard found?.formerKey == nil else {
            throw Failure(
                .usage,
                "key \(publicFile(of: name).shown()): found a former key already; "
                    + "use --retire \(name) once no node uses it")
        }
        let (secret, publicText) = try texts(replacing: found)
        // In this order: without the second the key of the running node is still on record.
        let (secretFile, publicFile) = (secretFile(of: name), publicFile(of: name))
        try write(secretFile) { () throws(FileRefusal) in
            try PrivateFile.replace(secretFile, secret, mode: 0o600)
        }
        try write(publicFile) { () throws(FileRefusal) in
            try PrivateFile.replace(publicFile, publicText, mode: 0o644)
        }
    }

    /// Removes the former key of a name; false when it has none.
    package func retire(_ name: NodeName) throws(Failure) -> Bool {
        let found = try publicCertificate(of: name)
        guard found.formerKey != nil else { return false }
        let retired = KeyCertificate(retiringFormerOf: found)
        let file = publicFile(of: name)
        try write(file) { () throws(FileRefusal) in
            try PrivateFile.replace(file, retired.publicText, mode: 0o644)
        }
        return true
    }

    private func texts(
        replacing former: KeyCertificate?
    ) throws(Failure) -> (secret: String, public: String) {
        guard let pair = KeyPair.make(), let secret = KeyCertificate(pair).secretText else {
            throw Failure(.software, "this libzmq was built without CURVE")
        }
        return (secret, KeyCertificate(pair, replacing: former).publicText)
    }

    private func write(
        _ file: String, _ work: () throws(FileRefusal) -> Void
    ) throws(Failure) {
        do throws(FileRefusal) { try work() } catch {
            throw Failure(error.status, "key \(file.shown()): \(error.text)")
        }
    }
}
