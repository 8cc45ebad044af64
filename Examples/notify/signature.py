"""The signature of a hook's message."""
import hashlib
import hmac
import time

AGE_MAX = 300


def is_signed(headers, body, secret):
    """Whether a message was signed with this secret, in the last five minutes."""
    stamp = headers.get("ErrorBus-Timestamp", "")
    if not stamp.isdigit() or abs(time.time() - int(stamp)) > AGE_MAX:
        return False
    code = hmac.new(secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(headers.get("ErrorBus-Signature", ""), "sha256=" + code)
