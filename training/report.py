"""stub"""
def page(data): return ""
