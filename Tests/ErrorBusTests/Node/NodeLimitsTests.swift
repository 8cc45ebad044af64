import Testing

@testable import ErrorBus
@testable import ErrorBusCore

/// `NodeSettings.maxOpen`, and what has to grow with it.
@Suite("The limits of a node")
struct NodeLimitsTests {
    private func limits(_ maxOpen: Int) -> LinkLimits {
        var settings = NodeSettings(name: "central")
        settings.maxOpen = maxOpen
        return settings.limits(LinkLimits())
    }

    @Test("A node that may have more open awaits and remembers as many results more")
    func more() {
        let (fresh, storm) = (LinkLimits(), limits(131_072))
        #expect(storm.openPerNodeMax == 131_072)
        #expect(storm.reportBytesPerNodeMax == 8 * fresh.reportBytesPerNodeMax)
        #expect(storm.reportBytesPerKeyMax == 8 * fresh.reportBytesPerKeyMax)
        #expect(storm.largeReportBytesMax >= storm.reportBytesPerKeyMax)
        #expect(storm.lastWordsMax > storm.openPerKeyMax)
        #expect(storm.undeliveredMax == 8 * fresh.undeliveredMax)
        #expect(storm.rememberedMax == 8 * fresh.rememberedMax)
        #expect(storm.openUpwardMax == 8 * fresh.openUpwardMax)
        #expect(storm.openPerChildMax == 8 * fresh.openPerChildMax)
        #expect(storm.openPerKeyMax == 8 * fresh.openPerKeyMax)
    }

    @Test("A number between two multiples has room for all results too")
    func between() {
        #expect(limits(20_000).undeliveredMax >= 20_000)
        #expect(limits(20_000).openUpwardMax >= 20_000)
    }

    @Test("A node that may have fewer open keeps the other limits")
    func fewer() {
        var small = limits(100)
        #expect(small.openPerNodeMax == 100)
        small.openPerNodeMax = LinkLimits().openPerNodeMax
        #expect(small == LinkLimits())
    }

    @Test("A number out of range is the nearest in it")
    func outOfRange() {
        #expect(limits(0).openPerNodeMax == 1)
        #expect(limits(.max).openPerNodeMax == 131_072)
    }

    @Test("A process begins as many presentations at once as a node takes by default")
    func begun() {
        #expect(PresentationsBegun.countMax == LinkLimits.openPerNodeDefault)
    }

    @Test("An inbox has room for all that a node may have open")
    func inbox() {
        #expect(InboxLimits().openMax >= NodeSettings.maxOpenRange.upperBound)
    }
}
