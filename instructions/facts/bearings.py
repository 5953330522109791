"""Bearings as hours of a clock."""


def clock_direction(bearing_deg: float) -> int:
    """Nearest hour of a bearing from straight ahead, clockwise positive: 12 is ahead, 3 is to the right."""
    return round(bearing_deg / 30.0) % 12 or 12


def off_half_hour_deg(bearing_deg: float) -> float:
    """How far a bearing is from the nearest border between two hours, 0 to 15."""
    return 15.0 - abs((bearing_deg + 15.0) % 30.0 - 15.0)
