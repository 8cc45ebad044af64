/// The proof that a node gave an answer: a signature over the presentation's id and origin, the
/// answer and its report (docs/wire.md, section Signed answers).
///
/// An option may need a signature (``ErrorReport/Option/needsSignature``). Its owner then carries
/// out no answer of another process without the signature of a signer that it knows, so that no
/// relay in between can make up or change an answer, or show the person another report or origin.
struct AnswerSignature: Hashable, Sendable {
    static let signerField = "signer"
    static let signatureField = "signature"

    let signer: NodeName
    let bytes: [UInt8]

    /// Signs an answer to the request that the signer got; nil only if the cryptographic library
    /// fails.
    init?(
        of answer: Answer, to present: Message.Present, by signer: NodeName, with key: SigningKey
    ) {
        guard let bytes = key.signature(of: Self.message(answer, present)) else { return nil }
        (self.signer, self.bytes) = (signer, bytes)
    }

    /// The signature that came with an answer; nil without one.
    init?(in answer: Answer) {
        func value(_ name: String) -> String? {
            answer.extras.fields.first { $0.name == name }?.value
        }
        guard let signer = value(Self.signerField).flatMap({ NodeName($0) }),
            let bytes = value(Self.signatureField).flatMap({
                Z85.bytes($0, count: Sodium.signatureCount)
            })
        else { return nil }
        (self.signer, self.bytes) = (signer, bytes)
    }

    /// The answer with this signature, in place of any other.
    func added(to answer: Answer) -> Answer {
        var answer = answer
        answer.extras.fields.removeAll {
            [Self.signerField, Self.signatureField].contains($0.name)
        }
        answer.extras.fields += [
            .init(name: Self.signerField, value: signer.description),
            .init(name: Self.signatureField, value: Z85.text(bytes) ?? ""),
        ]
        return answer
    }

    func isProved(by key: SignerKey, for answer: Answer, to present: Message.Present) -> Bool {
        key.proves(bytes, of: Self.message(answer, present))
    }

    /// The bytes that are signed: lines as in a header, each ended by a line feed.
    private static func message(_ answer: Answer, _ present: Message.Present) -> [UInt8] {
        let payload = answer.extras.payload
        let values = payload.isEmpty ? [] : ["values: \(Sodium.sha256(payload).hex)"]
        let second = answer.second.map { ["second: \($0.asHeaderText)"] } ?? []
        let lines =
            [
                "EB1 signed answer 2", "id: \(present.id)", "origin: \(present.origin)",
                "answer: \(answer.id)", "option: \(answer.option)",
                "via: \(answer.via.rawValue)", "by: \(answer.by.asHeaderText)",
            ] + second + values + ["report: \(Sodium.sha256(present.payload).hex)"]
        return lines.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] }
    }
}

extension KeyRing {
    /// Whether this node signs the answers that it gives.
    var signs: Bool { keys?.signsAs != nil }

    /// The answer with this node's signature; unchanged at a node that signs none.
    ///
    /// - Parameter present: The PRESENT as it came from below.
    func sign(_ answer: Answer, to present: Message.Present) -> Answer {
        guard let keys, let name = keys.signsAs, let key = SigningKey(of: keys.own),
            let signature = AnswerSignature(of: answer, to: present, by: name, with: key)
        else { return answer }
        return signature.added(to: answer)
    }
}

extension LinkKeys {
    /// The reason why the signature of an answer does not count, in words; nil if it counts.
    ///
    /// - Parameter present: The PRESENT as the option's owner sent it up.
    func fault(of answer: Answer, to present: Message.Present) -> String? {
        guard !signers.isEmpty else { return "this node knows no signers" }
        let known = signers.keys.map(\.description).sorted().joined(separator: ", ")
        guard let signature = AnswerSignature(in: answer) else {
            return "found no signature; expected one of \(known)"
        }
        guard let keys = signers[signature.signer] else {
            return "found the signature of \(signature.signer); expected one of \(known)"
        }
        let isProved = keys.contains { signature.isProved(by: $0, for: answer, to: present) }
        return isProved
            ? nil
            : "the signature of \(signature.signer) is not of this answer to this report of "
                + "\(present.origin): one of them was changed on the way"
    }
}
