/// Where things are: a line for where one is, the list, the chosen one, a line for what happens,
/// and a line of keys. Wide screens have the chosen one beside the list, others below it.
struct InboxScreenLayout: Hashable {
    private static let columnsBesideMin = 130

    let isBeside: Bool
    let listHeight: Int
    let listWidth: Int
    let detailHeight: Int
    let detailWidth: Int
    /// Between the two, from the top: a line of its own, or none beside the list.
    let dividerRow: Int?

    init(_ size: ScreenSize, isZoomed: Bool) {
        let body = max(1, size.rows - 3)
        isBeside = !isZoomed && size.columns >= Self.columnsBesideMin
        if isZoomed {
            (listHeight, listWidth, dividerRow) = (0, size.columns, nil)
            (detailHeight, detailWidth) = (body, size.columns)
        } else if isBeside {
            listWidth = size.columns * 11 / 20
            (listHeight, detailHeight, dividerRow) = (body, body, nil)
            detailWidth = size.columns - listWidth - 3
        } else {
            listHeight = max(3, body * 2 / 5)
            (listWidth, detailWidth) = (size.columns, size.columns)
            detailHeight = max(0, body - listHeight - 1)
            dividerRow = 1 + listHeight
        }
    }
}
