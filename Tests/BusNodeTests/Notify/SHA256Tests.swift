import Testing

@testable import BusNodeKit

struct SHA256Tests {
    @Test(
        "FIPS 180-4 hashes of known messages",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func hash(message: String, expected: String) {
        #expect(SHA256.hex(SHA256.hash(Array(message.utf8))) == expected)
    }

    @Test("A million letters, and every length around the size of a block")
    func lengths() {
        let million = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        #expect(
            SHA256.hex(SHA256.hash(million))
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
        // The hashes of 0 to 130 letters, hashed: computed with another implementation.
        let all = (0...130).flatMap { SHA256.hash([UInt8](repeating: 0x61, count: $0)) }
        #expect(
            SHA256.hex(SHA256.hash(all))
                == "f908a43fc8456c583aacde0fb2627959f8513dc76d0c03979b7f945a7dd78f22")
    }

    @Test(
        "RFC 4231 HMAC of known messages",
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131),
                "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ])
    func hmac(key: [UInt8], message: String, expected: String) {
        #expect(SHA256.hex(SHA256.hmac(Array(message.utf8), key: key)) == expected)
    }
}
