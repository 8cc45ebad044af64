import ErrorBus
import Foundation
import Testing

@Suite("A39 userInfo as JSON")
struct UserInfoTests {
    private static func report(_ value: Any) -> ErrorReport {
        ErrorReport(describing: NSError(domain: "q", code: 1, userInfo: ["key": value]))
    }

    @Test("A39 Values that JSON can express are exact")
    func exact() {
        let id = UUID()
        let values: [(Any, JSONValue)] = [
            (true, true), (false, false), (1, 1), (0, 0), (Int8(-1), -1), (UInt8(1), 1),
            (Int16(2), 2), (UInt32(3), 3), (UInt(4), 4), (Int64.min, .integer(.min)),
            (Int128(5), 5), (1.0, 1.0), (0.1, 0.1), (Float(0.5), 0.5), ("text", "text"),
            ("text".prefix(2), "te"), (String.Encoding.utf8, 4), (NSNull(), nil),
            (NSNumber(value: true), true), (NSNumber(value: false), false),
            (NSNumber(value: 1), 1), (NSNumber(value: Int8(1)), 1), (NSNumber(value: 1.0), 1.0),
            (NSNumber(value: UInt64(7)), 7), (NSString(string: "ns"), "ns"),
            (Int?.some(3) as Any, 3), (Int?.none as Any, nil), (Int??.some(.some(3)) as Any, 3),
            ([1, 2], [1, 2]), ([true, nil] as [Bool?], [true, nil]),
            (["a": ["b": 1]], ["a": ["b": 1]]),
            ([1, "a", true, [2.5]] as [Any], [1, "a", true, [2.5]]),
            (NSArray(array: [1, "a"]), [1, "a"]), (NSDictionary(dictionary: ["a": 1]), ["a": 1]),
            (URL(fileURLWithPath: "/x"), "file:///x"), (id, .string(id.uuidString)),
            (Date(timeIntervalSince1970: 0.25), "1970-01-01T00:00:00.250Z"),
            (JSONValue.object(["a": nil]), ["a": nil]),
        ]
        for (value, json) in values {
            let report = Self.report(value)
            #expect(report.userInfo == ["key": json], "\(type(of: value))")
            #expect(report.undescribed.isEmpty, "\(type(of: value))")
        }
    }

    private struct Point {
        let x = 1
        let error = NSError(domain: NSPOSIXErrorDomain, code: .max)
    }
    private final class Node { var next: Node? }

    @Test("A39 Other values are text and listed, and none traps")
    func described() {
        let node = Node()
        node.next = node
        defer { node.next = nil }
        let values: [(Any, String)] = [
            (UInt64.max, "18446744073709551615"), (Double.infinity, "inf"),
            (Data([1, 2]), "2 bytes"),
            (Decimal(string: "1.10") as Any, "1.1"), (Set([5]), "[5]"),
            (Date(timeIntervalSince1970: 1e300), "1e+300 seconds since 1970"),
            (
                NSError(domain: NSPOSIXErrorDomain, code: .max),
                "NSPOSIXErrorDomain error \(Int.max)"
            ),
            (Point(), "Point (x: 1, error: NSPOSIXErrorDomain error \(Int.max))"),
            (POSIXError(.EPERM), "NSPOSIXErrorDomain error 1"),
            ((1, "a"), "(1, \"a\")"), ([1: "a"], "[(key: 1, value: \"a\")]"),
        ]
        for (value, text) in values {
            let report = Self.report(value)
            #expect(report.userInfo["key"]?.stringValue == text, "\(type(of: value))")
            #expect(report.undescribed == ["key"], "\(type(of: value))")
        }
        #expect(Self.report(node).undescribed == ["key"])
        #expect(Self.report({ 1 } as () -> Int).undescribed == ["key"])
        let mixed = Self.report([1, Data([0])] as [Any])
        #expect(mixed.userInfo["key"] == [1, "1 bytes"])
        #expect(mixed.undescribed == ["key"])
    }

    @Test("A value under a well-known key but of another type stays in userInfo")
    func otherTypes() {
        let error = NSError(
            domain: "q", code: 1,
            userInfo: [
                NSUnderlyingErrorKey: "text", "NSMultipleUnderlyingErrorsKey": [1],
                NSHelpAnchorErrorKey: 5,
            ])
        let report = ErrorReport(describing: error)
        #expect(report.underlyingErrors.isEmpty)
        #expect(
            report.userInfo == [
                "NSUnderlyingError": "text", "NSMultipleUnderlyingErrorsKey": [1],
                "NSHelpAnchor": 5,
            ])
    }
}
