import ErrorBus
import Testing

@testable import BusNodeKit

/// JSON as people read it at a screen.
struct JSONLinesTests {
    @Test("A short value stays in one line, a text has its own lines")
    func short() {
        let short: JSONValue = ["b": [1, true, nil], "a": "x\ny"]
        #expect(short.inLines == #"{"a":"x\ny","b":[1,true,null]}"#)
        #expect(JSONValue.string("one\ntwo").inLines == "one\ntwo")
        #expect(JSONValue.integer(7).inLines == "7")
    }

    @Test("A long list or object has a line for each part, nested ones further in")
    func long() {
        let host = String(repeating: "h", count: 30)
        let value: JSONValue = [
            "hosts": [.string("\(host)1"), .string("\(host)2")], "limits": ["open": 3],
            "name\"": "x",
        ]
        #expect(
            value.inLines == """
                {
                  "hosts": [
                    "\(host)1",
                    "\(host)2"
                  ],
                  "limits": {"open":3},
                  "name\\"": "x"
                }
                """)
    }
}
