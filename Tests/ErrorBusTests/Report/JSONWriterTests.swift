import ErrorBus
import Testing

@Suite("JSON: writing, and the round trip")
struct JSONWriterTests {
    private static func text(_ value: JSONValue) -> String {
        String(decoding: value.encoded(), as: UTF8.self)
    }

    @Test(
        "Values have one form",
        arguments: [
            (nil, "null"), (true, "true"), (.integer(.min), "-9223372036854775808"),
            (0.1, "0.1"), (1.0, "1.0"), (1e100, "1e+100"),
            (.number(.leastNonzeroMagnitude), "5e-324"),
            (.number(.infinity), "null"), (.number(.nan), "null"),
            (["b": 1, "a": [true, nil], "B": [:]], "{\"B\":{},\"a\":[true,null],\"b\":1}"),
            (
                "a\"\\/\u{8}\u{9}\n\u{C}\r\u{1}\u{1F}\u{7F}",
                #""a\"\\/\b\t\n\f\r\u0001\u001f\u007f""#
            ),
            ("é€😀\u{2027}\u{2028}\u{2029}\u{202A}", "\"é€😀\u{2027}\\u2028\\u2029\u{202A}\""),
        ] as [(JSONValue, String)])
    func written(value: JSONValue, text: String) {
        #expect(Self.text(value) == text)
    }

    @Test("Written values read back equal, and give the same bytes again", arguments: 0..<200)
    func roundTrip(seed: UInt64) throws {
        var random = FuzzGenerator(seed: seed)
        for _ in 0..<20 {
            let value = JSONValue.random(depth: 5, using: &random)
            let bytes = value.encoded()
            let read = try JSONValue.parse(bytes)
            #expect(read == value)
            #expect(read.encoded() == bytes)
        }
    }

    @Test("20,000 mutated reports only ever throw", arguments: 0..<20)
    func fuzz(seed: UInt64) throws {
        var random = FuzzGenerator(seed: seed &+ 1000)
        let original = ErrorReport.full.payload()
        let spice = Array("{}[]\",:\\u0e-+.19tfn \n\0".utf8) + [0xFF, 0xED, 0xA0, 0xC3, 0xEF, 0xBB]
        var readCount = 0
        for _ in 0..<1000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                let byte = spice.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes[index] = byte
                case 1: bytes.insert(byte, at: index)
                case 2: bytes.remove(at: index)
                case 3:
                    bytes.removeLast(min(bytes.count - 1, Int.random(in: 0..<40, using: &random)))
                default: bytes.insert(contentsOf: bytes[index...].prefix(20), at: index)
                }
            }
            do {
                let report = try ErrorReport(payload: bytes)
                #expect(try ErrorReport(payload: report.payload()) == report)
                readCount += 1
            } catch {
                #expect(!error.found.isEmpty)
                #expect(error.description.utf8.count < 2000)
            }
        }
        // Most mutations break something; a fuzz that is always or never read tests nothing.
        #expect((1..<900).contains(readCount))
    }

    @Test("Accessors give the value of their kind only")
    func accessors() {
        let value: JSONValue = ["s": "x", "i": 3, "n": 1.5, "b": true, "a": [1], "z": nil]
        #expect(value["s"]?.stringValue == "x")
        #expect(value["i"]?.integerValue == 3)
        #expect(value["i"]?.numberValue == 3)
        #expect(value["n"]?.numberValue == 1.5)
        #expect(value["n"]?.integerValue == nil)
        #expect(value["b"]?.boolValue == true)
        #expect(value["a"]?.arrayValue == [1])
        #expect(value["z"]?.isNull == true)
        #expect(value["q"] == nil)
        #expect(value.stringValue == nil && value.boolValue == nil && value.arrayValue == nil)
        #expect(JSONValue.integer(1) != .number(1))
    }
}
