extension Network {
    enum Direction: String { case up, down }

    /// A value for each direction.
    struct Both<Value> {
        var up: Value
        var down: Value

        init(_ value: Value) { (up, down) = (value, value) }

        subscript(direction: Direction) -> Value {
            get { direction == .up ? up : down }
            _modify {
                switch direction {
                case .up: yield &up
                case .down: yield &down
                }
            }
        }
    }
}
