/// A terminal's columns and rows.
struct ScreenSize: Hashable, Sendable {
    var columns: Int
    var rows: Int

    /// Below it nothing useful fits.
    static let least = ScreenSize(columns: 40, rows: 10)

    var isEnough: Bool { columns >= Self.least.columns && rows >= Self.least.rows }
}
