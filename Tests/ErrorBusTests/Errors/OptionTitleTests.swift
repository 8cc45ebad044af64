import Testing

@testable import ErrorBus

@Suite("Options made of titles")
struct OptionTitleTests {
    @Test("A11 The id of a title leads back to its index", arguments: [0, 1, 31])
    func index(of title: Int) {
        let id = ErrorReport.Option.id(ofTitle: title)
        #expect(ErrorReport.Option.titleIndex(ofID: id) == title)
    }

    @Test(
        "A22 Any other id leads nowhere",
        arguments: [
            "", "option-", "option--1", "option-01", "option-+1", "option-1x", "retry", "1",
        ])
    func noIndex(id: String) {
        #expect(ErrorReport.Option.titleIndex(ofID: id) == nil)
    }

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
