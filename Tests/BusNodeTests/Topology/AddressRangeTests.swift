import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

struct AddressRangeTests {
    @Test(
        "An address is in a range whose first bits it has",
        arguments: [
            ("10.0.0.5", "10.0.0.5", true), ("10.0.0.5", "10.0.0.6", false),
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.128/25", "10.0.0.129", true), ("10.0.0.128/25", "10.0.0.127", false),
            ("0.0.0.0/0", "192.0.2.1", true), ("0.0.0.0/0", "::1", false),
            ("::/0", "fd00::1", true), ("::/0", "10.0.0.1", false),
            ("fd00::/8", "fdff::1", true), ("fd00::/8", "fe00::1", false),
            ("10.0.0.0/8", "::ffff:10.1.1.1", true), ("::ffff:10.0.0.5", "10.0.0.5", true),
            ("10.0.0.0/8", "10.0.0.1.example", false), ("10.0.0.0/8", "", false),
            ("10.0.0.0/8", "?", false),
        ])
    func contains(range: String, address: String, expected: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(address) == expected)
    }

    @Test("Hosts differ by the address of IPv4, and by the network of IPv6")
    func network() {
        let network = AddressRange.network(of:)
        #expect(network("10.0.0.5") == [10, 0, 0, 5] && network("10.0.0.5") != network("10.0.0.6"))
        #expect(network("::ffff:10.0.0.5") == network("10.0.0.5"))
        #expect(network("2001:db8::1") == network("2001:db8::ffff:1"))
        #expect(network("2001:db8::1") != network("2001:db8:0:1::1"))
        #expect(network("?") == nil)
    }

    @Test(
        "Any other text is none, also a range that is meant to be an address",
        arguments: [
            "", "localhost", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08",
            "10.0.0.0/", "10.0.0/8", "fd00::1/64", "::/129", "10.0.0.0/8/8", "10.0.0.1\0",
        ])
    func refused(text: String) {
        #expect(AddressRange(text) == nil)
    }
}
