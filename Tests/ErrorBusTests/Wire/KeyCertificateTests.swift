import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct KeyCertificateTests {
    private func problem(_ text: String) -> String? {
        do throws(KeyCertificate.Problem) {
            _ = try KeyCertificate(text: text)
            return nil
        } catch { return error.description }
    }

    @Test("a pair is read again from the file that it makes; the public file has no secret")
    func roundTrip() throws {
        let pair = try #require(KeyPair.make())
        let certificate = KeyCertificate(pair)
        let secretText = try #require(certificate.secretText)
        #expect(try KeyCertificate(text: secretText).pair == pair)
        let known = try KeyCertificate(text: certificate.publicText)
        #expect(known.publicKey == pair.publicKey && known.pair == nil)
        #expect(!certificate.publicText.contains(pair.secret))
        #expect(!"\(pair) \(String(reflecting: pair.publicKey))".contains(pair.secret))
    }

    @Test("the certificates of other tools: the pair that ZeroMQ's RFC 26 publishes")
    func published() throws {
        let text = """
            #   ****  Generated on 2012 by pyzmq  ****
            #   ZeroMQ CURVE **Secret** Certificate

            metadata
            curve
                public-key = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
                secret-key = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"
            """
        let pair = try #require(try KeyCertificate(text: text).pair)
        #expect("\(pair.publicKey)" == "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID")
    }

    @Test("a public file has the key that was replaced beside the new one")
    func former() throws {
        let (one, other) = (try #require(KeyPair.make()), try #require(KeyPair.make()))
        let before = KeyCertificate(other)
        let text = KeyCertificate(one, replacing: before).publicText
        let read = try KeyCertificate(text: text)
        #expect(read.publicKey == one.publicKey && read.formerKey == other.publicKey)
        #expect(read.signerKey == SigningKey(of: one)?.signerKey && read.signerKey != nil)
        #expect(read.formerSignerKey == before.signerKey)
        #expect(!text.contains(one.secret) && !text.contains(other.secret))
        let retired = try KeyCertificate(
            text: KeyCertificate(retiringFormerOf: read).publicText)
        #expect(retired.formerKey == nil && retired.formerSignerKey == nil)
        #expect(retired.publicKey == one.publicKey && retired.signerKey == read.signerKey)
        let same = KeyCertificate(one, replacing: KeyCertificate(one)).publicText
        #expect(problem(same)?.contains("former-key is not another key") == true)
    }

    @Test("a public file of a version that signed nothing gets its signing key from the pair")
    func completed() throws {
        let pair = try #require(KeyPair.make())
        let old = "metadata\ncurve\n    public-key = \"\(pair.publicKey)\"\n"
        let read = try KeyCertificate(text: old)
        #expect(read.signerKey == nil)
        let text = KeyCertificate(read, signingAs: pair).publicText
        #expect(text == KeyCertificate(pair).publicText)
        #expect(
            problem(old + "    signing-key = \"short\"\n")?
                .contains("signing-key is not 40 characters of Z85") == true)
    }

    @Test("what is no certificate, or not of one pair, is refused with the reason")
    func refused() throws {
        let (one, other) = (try #require(KeyPair.make()), try #require(KeyPair.make()))
        #expect(problem("")?.contains("found no public-key") == true)
        #expect(problem("public-key = \"short\"")?.contains("40 characters of Z85") == true)
        let mixed = "public-key = \"\(one.publicKey)\"\nsecret-key = \"\(other.secret)\""
        #expect(problem(mixed) == "secret-key and public-key are not of one pair")
        let bad = "public-key = \"\(one.publicKey)\"\nsecret-key = \"\(one.secret.dropLast())\""
        #expect(problem(bad)?.contains("secret-key is not") == true)
        #expect(problem(bad)?.contains(one.secret.dropLast()) == false)
    }

    @Test("a key is 32 bytes in Z85")
    func keys() throws {
        #expect(PublicKey("") == nil)
        #expect(PublicKey(String(repeating: "a", count: 39)) == nil)
        #expect(PublicKey(String(repeating: "\"", count: 40)) == nil)
        #expect(PublicKey(String(repeating: "#", count: 40)) == nil)
        #expect(PublicKey(bytes: [UInt8](repeating: 7, count: 31)) == nil)
        let zero = try #require(PublicKey(bytes: [UInt8](repeating: 0, count: 32)))
        #expect("\(zero)" == String(repeating: "0", count: 40))
    }
}
