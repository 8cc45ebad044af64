import Testing

@testable import BusNodeKit

@Suite struct KeyDecoderTests {
    private static let cases: [(String, [ScreenKey])] = [
        ("j", [.character("j")]), ("会é", [.character("会"), .character("é")]),
        ("👩k", [.character("👩"), .character("k")]),
        ("\u{1B}[A\u{1B}[B\u{1B}OC\u{1B}[D", [.up, .down, .right, .left]),
        ("\u{1B}[5~\u{1B}[6~\u{1B}[H\u{1B}[4~", [.pageUp, .pageDown, .home, .end]),
        ("\r\t\u{7F}\u{3}\u{C}", [.enter, .tab, .backspace, .control("c"), .control("l")]),
        ("\u{1B}[Z", [.backTab]), ("\u{1B}\u{1B}[A", [.escape, .up]),
        ("\u{1B}[[Aq\u{1B}[[Ek", [.character("q"), .character("k")]),
        ("\u{1B}[1;5Aq", [.character("q")]), ("\u{1B}xq", [.character("q")]),
        ("\u{1B}[200~rm \u{1B}[A\u{1B}[201~k", [.paste("rm \u{1B}[A"), .character("k")]),
        ("\u{1B}[200~a\rb\r\nc\n\rd\u{1B}[201~", [.paste("a\nb\nc\n\nd")]),
    ]

    @Test("keys are decoded, wherever the input is cut", arguments: cases)
    func pieces(text: String, keys: [ScreenKey]) {
        for size in [1, 2, 3, 100] {
            var decoder = KeyDecoder()
            var found: [ScreenKey] = []
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                found += decoder.take(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(found == keys)
            #expect(!decoder.isWaiting)
        }
    }

    @Test("an Esc is a key after a pause")
    func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.take([0x1B]).isEmpty)
        #expect(decoder.isWaiting)
        #expect(decoder.paused() == [.escape])
        #expect(decoder.take([0x1B, 0x5B]).isEmpty)
        #expect(decoder.paused().isEmpty)
        #expect(decoder.take("a".utf8) == [.character("a")])
    }

    @Test(
        "bytes that are not text press no key", arguments: [[0xFF], [0xC0, 0x80], [0xE4], [0x80]])
    func stray(bytes: [UInt8]) {
        var decoder = KeyDecoder()
        #expect(decoder.take(bytes + Array("xy".utf8)).suffix(1) == [.character("y")])
    }

    @Test("long sequences and long pastes are not kept whole")
    func limits() {
        var decoder = KeyDecoder()
        #expect(decoder.take("\u{1B}[".utf8).isEmpty)
        #expect(decoder.take(Array(repeating: UInt8(ascii: "1"), count: 31)).isEmpty)
        #expect(!decoder.isWaiting)
        let long = String(repeating: "x", count: 100_000)
        let keys = decoder.take("\u{1B}[200~\(long)\u{1B}[201~q".utf8)
        #expect(keys == [.paste(String(long.prefix(16_388))), .character("q")])
    }

    @Test("A byte of a large paste costs no more than one of a small paste")
    func cost() {
        func time(_ pasteCount: Int) -> Duration {
            let text = String(repeating: "x", count: 1_000_000 / pasteCount)
            let input = Array("\u{1B}[200~\(text)\u{1B}[201~".utf8)
            var decoder = KeyDecoder()
            var keyCount = 0
            let before = ThreadTime.now
            for _ in 0..<pasteCount { keyCount += decoder.take(input).count }
            let taken = ThreadTime.now - before
            #expect(keyCount == pasteCount)
            return taken
        }
        // It costs several times as much where it copies what is pasted so far.
        #expect(time(1) < time(2_000) * 2)
    }
}
