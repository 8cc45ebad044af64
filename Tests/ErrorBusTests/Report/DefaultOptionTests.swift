import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("The default option")
struct DefaultOptionTests {
    @Test(
        "A20 Without a declared default it is the first choice without a role, none destructive"
    )
    func defaults() {
        let destructive = ErrorReport.Option(id: "a", title: "A", role: .destructive)
        let cancel = ErrorReport.Option(id: "b", title: "B", role: .cancel)
        let plain = ErrorReport.Option(id: "c", title: "C")
        var declared = destructive
        declared.isDeclaredDefault = true
        #expect([destructive, cancel].defaultOption == nil)
        #expect([destructive, cancel, plain].defaultOption == plain)
        #expect([cancel, plain, declared].defaultOption == declared)
    }
}
