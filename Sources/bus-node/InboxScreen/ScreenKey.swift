/// What a person pressed.
enum ScreenKey: Hashable, Sendable {
    case character(Character)
    case control(Character)
    case up, down, left, right, pageUp, pageDown, home, end
    case enter, tab, backTab, escape, backspace
    /// Text that came all at once out of a clipboard: it presses no keys.
    case paste(String)
    /// A key that means nothing here.
    case other
}
