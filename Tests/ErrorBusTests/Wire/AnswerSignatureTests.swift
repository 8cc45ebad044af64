import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// Signed answers (docs/wire.md, section Signed answers).
@Suite struct AnswerSignatureTests {
    /// As its origin sends it; a hop above adds itself to the path.
    private let asked = Message.Present(
        id: PresentationID(1), origin: "db-prod", path: ["db-prod"],
        payload: ErrorReport(domain: "d", description: "Drop the table?").payload())
    private let answer = Answer(
        id: PresentationID(2).value, option: "drop", by: "ann", via: .person)

    /// The keys of a node that signs as `name`, and of one that knows it as its only signer.
    private func keys(
        _ name: NodeName = "central"
    ) throws -> (signer: KeyRing, owner: LinkKeys) {
        let pair = try #require(KeyPair.make())
        var signer = LinkKeys(own: pair, known: [:])
        signer.signsAs = name
        var owner = LinkKeys(own: try #require(KeyPair.make()), known: [:])
        owner.signers = [name: [try #require(SigningKey(of: pair)).signerKey]]
        return (KeyRing(signer), owner)
    }

    @Test("a signed answer counts, also after its way over the wire")
    func counts() throws {
        let (signer, owner) = try keys()
        let signed = signer.sign(answer, to: asked)
        #expect(owner.fault(of: signed, to: asked) == nil)
        let digest = ReportDigest(of: asked.payload)
        let frames = Message.answer(asked.id, signed, digest: digest).frames
        guard case .answer(_, let arrived, _) = try Message(frames: frames[...]) else {
            Issue.record("no ANSWER")
            return
        }
        #expect(owner.fault(of: arrived, to: asked) == nil)
    }

    @Test("a name that the wire changes is signed as it arrives")
    func cleaned() throws {
        let (signer, owner) = try keys()
        let untidy = Answer(option: "drop", by: " ann\n(\u{9B}31m)  ", via: .person)
        let signed = signer.sign(untidy, to: asked)
        let frames = Message.answer(asked.id, signed, digest: nil).frames
        guard case .answer(_, let arrived, _) = try Message(frames: frames[...]) else {
            Issue.record("no ANSWER")
            return
        }
        #expect(arrived.by != untidy.by)
        #expect(owner.fault(of: arrived, to: asked) == nil)
    }

    @Test("whatever of it is changed on the way, it counts no more")
    func changed() throws {
        let (signer, owner) = try keys()
        let signed = signer.sign(answer, to: asked)
        func fault(
            _ answer: Answer, to change: (inout Message.Present) -> Void = { _ in }
        ) -> String? {
            var present = asked
            change(&present)
            return owner.fault(of: answer, to: present)
        }
        func with(
            id: UniqueID? = nil, option: String = "drop", by: String = "ann",
            via: Answer.Via = .person
        ) -> Answer {
            var other = Answer(id: id ?? answer.id, option: option, by: by, via: via)
            other.extras = signed.extras
            return other
        }
        #expect(fault(with()) == nil)
        let changes: [String?] = [
            fault(with(id: PresentationID(3).value)), fault(with(option: "keep")),
            fault(with(by: "bob")), fault(with(via: .policy)),
            fault(signed) { $0.id = PresentationID(4) },
            fault(signed) { $0.origin = "db-test" },
            fault(signed) { $0.payload += [0x20] },
        ]
        for change in changes { #expect(change?.contains("changed on the way") == true) }
    }

    @Test("only a known signer's own key counts, and while it is replaced its former one, too")
    func signers() throws {
        let ((central, owner), (stranger, _)) = (try keys(), try keys())
        #expect(
            owner.fault(of: answer, to: asked) == "found no signature; expected one of central")
        let forged = stranger.sign(answer, to: asked)
        #expect(owner.fault(of: forged, to: asked)?.contains("changed on the way") == true)
        let (other, _) = try keys("relay")
        #expect(
            owner.fault(of: other.sign(answer, to: asked), to: asked)
                == "found the signature of relay; expected one of central")
        var none = owner
        none.signers = [:]
        let signed = central.sign(answer, to: asked)
        #expect(none.fault(of: signed, to: asked) == "this node knows no signers")
        var both = owner
        let pair = try #require(KeyPair.make())
        let fresh = try #require(SigningKey(of: pair)).signerKey
        both.signers["central"]?.insert(fresh, at: 0)
        #expect(both.fault(of: signed, to: asked) == nil)
    }

    @Test("a node signs in place of a signature that is there already")
    func replaced() throws {
        let ((central, owner), (other, _)) = (try keys(), try keys("relay"))
        let twice = central.sign(other.sign(answer, to: asked), to: asked)
        #expect(twice.extras.fields.map(\.name) == ["signer", "signature"])
        #expect(owner.fault(of: twice, to: asked) == nil)
        let unnamed = KeyRing(LinkKeys(own: try #require(KeyPair.make()), known: [:]))
        #expect(unnamed.sign(answer, to: asked) == answer)
    }

    /// The secret key, id, origin and report of docs/wire.md.
    private struct Published {
        static let ofOne =
            "qVqC%K@.8Z1s2$]:Mu+QeT:dPw]C^yu1HK!10JmkSaVg:k[#tcqYR+0jsth=SSP.BK+4oUOkFHKouHYK"
        static let withoutOrigin =
            "x4pj>J<KZ106/3fTc&pAzoV<kpdR?U]!*]x>B$XEr*%3<65clcRxW^6@h3.e-3rVaaKA-Kh#@#gC.-d1"
        static let ofTwo =
            "oVD)R^]]d2fyZqTo7tj%cUj+px!fCo=g4lUJGWe5xp.@d2sKKt=pQ8}[cprlWvYaLWb222dq}y&:#+jW"
        static let ofValues =
            "U}sBU!ox4}gG4Cz&10yQHcYLbJV.3&pVU*a*pyLsWnG{ST>-)PG-FO5^Yz}%aJ6X3b8Scy0!Yq*ZSHi)"
        static let ofComment =
            "LX//^VHgacxj<:^PI}QW9nh1)g(HfHfa}?j+D69icnqAS+EFvQ>1ZYzQ]WvK+8rNy}tMUw1jVuvyz{:*"

        let keys: LinkKeys
        let key: SignerKey
        let asked: Message.Present

        init() throws {
            let pair = try #require(KeyPair(secret: "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"))
            key = try #require(SigningKey(of: pair)).signerKey
            var keys = LinkKeys(own: pair, known: [:])
            keys.signsAs = "central"
            keys.signers = ["central": [key]]
            self.keys = keys
            asked = Message.Present(
                id: try #require(PresentationID("01920000-0000-7000-8000-000000000001")),
                origin: "db-prod", path: ["db-prod"],
                payload: Array(#"{"domain":"com.acme","description":"Drop the table?"}"#.utf8))
        }

        func answer(
            _ second: String?, _ values: [String: JSONValue] = [:], comment: String? = nil
        ) throws -> Answer {
            Answer(
                id: try #require(UniqueID("01920000-0000-7000-8000-0000000000a1")), option: "drop",
                by: "ann", via: .person, second: second, values: values, comment: comment)
        }
    }

    /// Made with other software: HKDF and Ed25519 of OpenSSL.
    @Test(
        "key and signatures are those of docs/wire.md",
        arguments: [
            (nil, [:], nil, Published.ofOne), ("bob", [:], nil, Published.ofTwo),
            (nil, ["path": "/a"], nil, Published.ofValues),
            (nil, [:], "The disk is full.", Published.ofComment),
        ] as [(String?, [String: JSONValue], String?, String)])
    func published(
        second: String?, values: [String: JSONValue], comment: String?, signature: String
    ) throws {
        let published = try Published()
        #expect("\(published.key)" == "cPb+cF1LR8<ep5zW54A+jNE:1.jbNOa7t+n7XgAj")
        let signed = KeyRing(published.keys).sign(
            try published.answer(second, values, comment: comment), to: published.asked)
        #expect(signed.extras.fields.last?.value == signature)
    }

    @Test("a signature without the origin, as of version 1, counts no more")
    func withoutOrigin() throws {
        let published = try Published()
        var answer = try published.answer(nil)
        func fault(_ signature: String) -> String? {
            answer.extras.fields = [
                .init(name: "signer", value: "central"),
                .init(name: "signature", value: signature),
            ]
            return published.keys.fault(of: answer, to: published.asked)
        }
        #expect(fault(Published.ofOne) == nil)
        #expect(fault(Published.withoutOrigin)?.contains("changed on the way") == true)
    }

    @Test("the second of two people is signed with the first")
    func second() throws {
        let published = try Published()
        let signed = KeyRing(published.keys).sign(
            try published.answer("bob"), to: published.asked)
        func fault(_ answer: Answer) -> String? {
            published.keys.fault(of: answer, to: published.asked)
        }
        #expect(fault(signed) == nil)
        for other in ["zoe", "ann", nil] {
            var forged = try published.answer(other)
            forged.extras = signed.extras
            #expect(fault(forged) != nil)
        }
    }

    @Test("the comment is signed with the option")
    func comment() throws {
        let published = try Published()
        let signed = KeyRing(published.keys).sign(
            try published.answer(nil, comment: "The disk is full."), to: published.asked)
        #expect(published.keys.fault(of: signed, to: published.asked) == nil)
        for other in ["The disk is empty.", nil] {
            var forged = try published.answer(nil, comment: other)
            forged.extras.fields = signed.extras.fields
            #expect(published.keys.fault(of: forged, to: published.asked) != nil)
        }
    }

    @Test("the values are signed with the option, secrets among them")
    func values() throws {
        let (signer, owner) = try keys()
        let answer = Answer(
            option: "move", by: "ann", via: .person, values: ["path": "/a"],
            secrets: ["pin": "hunter2"])
        let signed = signer.sign(answer, to: asked)
        #expect(owner.fault(of: signed, to: asked) == nil)
        let others = [
            #"{"secrets":{"pin":"hunter2"},"values":{"path":"/b"}}"#,
            #"{"secrets":{"pin":"hunter3"},"values":{"path":"/a"}}"#,
            #"{"values":{"path":"/a"}}"#, #"{}"#, "",
        ]
        for payload in others {
            var forged = signed
            forged.extras.payload = Array(payload.utf8)
            #expect(owner.fault(of: forged, to: asked) != nil)
        }
        var added = signer.sign(self.answer, to: asked)
        added.extras.payload = Array(others[0].utf8)
        #expect(owner.fault(of: added, to: asked) != nil)
    }
}
