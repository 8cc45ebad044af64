import ErrorBus

extension JSONValue {
    static func random(depth: Int, using random: inout FuzzGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .integer(Int64.random(in: .min ... .max, using: &random))
        case 3:
            let double = Double(bitPattern: random.next())
            return double.isFinite ? .number(double) : .number(0.5)
        case 4, 5: return .string(text(using: &random))
        case 6:
            let count = Int.random(in: 0..<5, using: &random)
            var elements: [JSONValue] = []
            for _ in 0..<count {
                elements.append(JSONValue.random(depth: depth - 1, using: &random))
            }
            return .array(elements)
        default:
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0..<5, using: &random) {
                let key = text(using: &random)
                members[key] = JSONValue.random(depth: depth - 1, using: &random)
            }
            return .object(members)
        }
    }

    private static func text(using random: inout FuzzGenerator) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<12, using: &random) {
            let limit: UInt32 = Bool.random(using: &random) ? 0x80 : 0x11_0000
            if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &random)) {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
